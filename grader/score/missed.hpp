// The objectives and speed-ups that an accepted case misses on the virtual GPU, and the counter that shows
// why. Pure. Covered by tests/score/missed_test.cpp.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "score/score.hpp"

namespace grader {

struct Missed {
  std::string check;    ///< Check::id; clue_id() for other cases of an objective
  std::string counter;  ///< for find_clue(); empty: none
};

/// `counters` are the case's, with ratios; `quantities` the workload's.
std::vector<Missed> missed_checks(const Lab& lab, const std::string& case_name,
                                  const std::map<std::string, double>& counters,
                                  const std::optional<SpeedSamples>& speed,
                                  const std::map<std::string, double>& quantities);

}  // namespace grader
