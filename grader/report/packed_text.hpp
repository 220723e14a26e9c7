// What `warpgrade handin` prints about the package that it wrote. Tested by report/packed_text_test.cpp.
#pragma once

#include <string>

#include "base/receipt.hpp"
#include "report/terminal.hpp"

namespace grader {

/// `package` is the path of the file; `questions` describes the answers in it, empty if the lab asks nothing.
std::string packed_text(const Receipt& receipt, const std::string& package, const std::string& questions,
                        const Terminal& terminal);

}  // namespace grader
