// What `warpgrade handin` prints about the package that it wrote. Tested by report/packed_text_test.cpp.
#pragma once

#include <string>

#include "base/receipt.hpp"
#include "report/terminal.hpp"

namespace grader {

struct PackedPage {
  std::string package;         ///< path of the file that was written
  std::string source;          ///< full path of the student's file
  std::string questions = {};  ///< describes the packed answers; empty: the lab asks nothing
};

std::string packed_text(const Receipt& receipt, const PackedPage& page, const Terminal& terminal);

}  // namespace grader
