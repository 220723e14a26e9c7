// The checks of a task before they are worth points: what each says on this evidence.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "score/score.hpp"

namespace grader {

struct Draft {
  Check check;
  bool is_possible = true;  ///< the device can make it
  double fraction = 0;      ///< of its points
};

/// Cases, then objectives, then the speed-up.
std::vector<Draft> draft_checks(const Lab& lab, const Task& task, const Evidence& evidence);

/// The task's speed-up, once its case is right and timed.
std::optional<Performance> measured_speedup(const Task& task, const Evidence& evidence);

Draft skipped(Check check, std::string reason);
Draft failed(Check check, Verdict verdict, std::vector<Diagnostic> diagnostics, double fraction = 0);

}  // namespace grader
