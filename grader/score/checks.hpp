// The checks of a task before points are assigned: the outcome of each check on the given evidence.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "score/score.hpp"

namespace grader {

struct Draft {
  Check check;
  bool is_possible = true;  ///< whether the device can perform the check
  double fraction = 0;      ///< earned share of its points, 0 to 1
};

/// In this order: cases, objectives, the speed-up.
std::vector<Draft> draft_checks(const Lab& lab, const Task& task, const Evidence& evidence);

/// The task's speed-up; nullopt unless its case was accepted and timed.
std::optional<Performance> measured_speedup(const Task& task, const Evidence& evidence);

/// Check::id
std::string objective_id(const Task& task, const Objective& objective);
/// The key in Evidence::clues for the objective's miss in the case: the check's id in its own case.
std::string clue_id(const Task& task, const Objective& objective, const std::string& case_name);
std::string speedup_id(const Task& task, const std::string& case_name);

/// The check as it is before any evidence.
Check without_result(const Check& check);
Draft skipped(Check check, std::string reason);
Draft failed(Check check, Verdict verdict, std::vector<Diagnostic> diagnostics, double fraction = 0);

}  // namespace grader
