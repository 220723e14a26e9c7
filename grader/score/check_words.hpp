// What people read instead of a check's id, which is its name for programs and for --case. Pure. Covered by
// score/check_words_test.cpp.
#pragma once

#include <string>

#include "score/score.hpp"

namespace grader {

/// Below the heading of the check's task: "17x33x65", "global load requested B/flop (square-256)".
std::string words_in_task(const Check& check);

/// "Any shape: boundary checks", "Count 6 (bonus)"; the task's id in results of earlier versions.
std::string task_words(const Check& check);

/// Both: "Any shape: boundary checks / 17x33x65".
std::string check_words(const Check& check);

}  // namespace grader
