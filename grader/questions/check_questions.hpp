// Checks the questions of a lab for `lint`: every student must get an answerable question. Covered by
// tests/questions/labs_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "lab/lab.hpp"

namespace grader {

/// One sentence per question that has no truth for some student, or the same truth for all of them. Values of
/// the student's own run are those of the solution in lab.json.
std::vector<std::string> question_problems(const Lab& lab);

}  // namespace grader
