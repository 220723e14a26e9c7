// The text of --help, folded. Pure. Covered by e2e/usage_test.cpp.
#pragma once

#include <cstddef>
#include <string>

namespace grader::app {

/// The text in lines that fit a window of so many columns. The rest of a description continues below its
/// beginning.
std::string wrapped_help(const std::string& help, std::size_t window);

}  // namespace grader::app
