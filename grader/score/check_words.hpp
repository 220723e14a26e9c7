// What people read instead of the names that result.json has for programs: checks, their status, verdicts.
// Pure. Covered by score/check_words_test.cpp.
#pragma once

#include <string>
#include <string_view>

#include "score/score.hpp"

namespace grader {

/// Below the heading of the check's task: "17x33x65", "global load requested B/flop (square-256)".
std::string words_in_task(const Check& check);

/// "Any shape: boundary checks", "Count 6 (bonus)"; the task's id in results of earlier versions.
std::string task_words(const Check& check);

/// Both: "Any shape: boundary checks / 17x33x65".
std::string check_words(const Check& check);

/// A check's status as people read it. `part`: the check passed, but a task that its task needs limits its
/// points.
enum class CheckOutcome { pass, part, fail, skip };
CheckOutcome outcome_of(CheckStatus status, double points, double max_points);
std::string_view words_of(CheckOutcome outcome);  ///< "pass", "part", "FAIL", "skip"

/// "wrong answer"; for too_slow, which covers objectives of every kind, "objective missed".
std::string verdict_words(Verdict verdict);

}  // namespace grader
