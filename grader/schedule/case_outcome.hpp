// What a run of one case of one submission showed.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "judge/judge.hpp"
#include "score/score.hpp"

namespace grader {

struct CaseOutcome {
  CaseRun run;
  CaseVerdict verdict;
  std::map<std::string, double> counters;  ///< virtual GPU only
  std::optional<SpeedSamples> speed;       ///< only for an accepted speed-up case
  std::map<std::string, Clue> clues;       ///< Evidence::clues
};

}  // namespace grader
