// Notes for the instructor about how a class handed in: late submissions, several uploads, identical files,
// omitted files. Tested by report/hand_in_test.cpp.
#pragma once

#include <map>
#include <string>

#include "base/hand_in.hpp"
#include "report/terminal.hpp"

namespace grader {

/// Lines for the terminal, followed by an empty line; empty if there are no notes. Long lists are shortened
/// and refer to the file with the rest.
std::string hand_in_text(const std::map<std::string, HandIn>& hand_ins, const Terminal& terminal);

}  // namespace grader
