// The manual page, in the man macros of roff (groff_man(7)). Pure. Covered by
// tests/e2e/usage_test.cpp.
#pragma once

#include <string>

#include "usage/command_text.hpp"

namespace grader::usage {

std::string man_page(const CommandText& program, const std::string& version);

}  // namespace grader::usage
