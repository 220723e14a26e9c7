// A line of `warpgrade doctor`. Tested by report/health_text_test.cpp.
#pragma once

#include <string>

#include "report/terminal.hpp"

namespace grader {

enum class Health { ok, warn, missing };

/// One thing that was examined.
struct HealthLine {
  Health health = Health::ok;
  std::string what;     ///< "compiler"
  std::string finding;  ///< "nvcc 13.0.88"
  std::string advice;   ///< can be empty
};

std::string health_text(const HealthLine& line, const Terminal& terminal);

}  // namespace grader
