// Scripts that complete the command line in a shell. Words that depend on the kit (labs, codes) come from
// `warpgrade completion --words KIND`, so that a script need not be made again when a lab is added. Pure.
// Covered by tests/e2e/usage_test.cpp.
#pragma once

#include <string>

#include "usage/command_text.hpp"

namespace grader::usage {

std::string bash_completion(const CommandText& program);
std::string zsh_completion(const CommandText& program);
std::string fish_completion(const CommandText& program);

}  // namespace grader::usage
