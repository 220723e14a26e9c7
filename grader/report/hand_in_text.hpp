// What an instructor should know about how a class handed in: late, several uploads, the same bytes, what was
// left out. Covered by report/hand_in_test.cpp.
#pragma once

#include <map>
#include <string>

#include "base/hand_in.hpp"
#include "report/terminal.hpp"

namespace grader {

/// Lines for the terminal, ending with an empty one; empty when there is nothing to say. Long lists are cut
/// and say where the rest is.
std::string hand_in_text(const std::map<std::string, HandIn>& hand_ins, const Terminal& terminal);

}  // namespace grader
