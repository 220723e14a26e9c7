// The limit of an objective that a run misses. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "lab/lab.hpp"

namespace grader {

struct MissedLimit {
  ShownCounter limited;   ///< the objective's own counter, or one next to it
  std::string case_name;  ///< the objective's case, or one of its other cases
  double value = 0;       ///< outside the limits
  double atomics = 0;     ///< the part of `value` that is not the counter's own but that of atomics
};

/// The first limit in the given case that the case's counters miss: in the objective's own case, that of its
/// counter, then those of the counters next to it; in other cases, that of Objective::elsewhere. nullopt: all
/// limits are met. Launches can differ in their configuration, and atomics can do the work of loads and
/// stores: an upper limit is compared with the greatest value (kMostPrefix). A missing counter has no effect.
std::optional<MissedLimit> missed_limit_in(const std::string& case_name, const Objective& objective,
                                           const std::map<std::string, double>& counters);

/// The first missed limit of all cases, the objective's own case first. `counters` are by case; cases without
/// counters have no effect.
std::optional<MissedLimit> missed_limit(const Objective& objective,
                                        const std::map<std::string, std::map<std::string, double>>& counters);

}  // namespace grader
