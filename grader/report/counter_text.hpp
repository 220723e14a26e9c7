// What `warpgrade explain` prints about a counter. Tested by report/counter_text_test.cpp.
#pragma once

#include <string>

#include "report/terminal.hpp"

namespace grader {

struct CounterPage {
  std::string name, group, definition;
  std::string nsight;      ///< the metric of Nsight Compute; can be empty
  std::string difference;  ///< what a real GPU counts differently; can be empty
};

std::string counter_text(const CounterPage& page, const Terminal& terminal);

}  // namespace grader
