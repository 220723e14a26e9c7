// Explains why no thread stored the last rows or columns of an output: from the region that is missing and
// the extents of the launch. Covered by tests/judge/coverage_test.cpp.
#pragma once

#include <optional>
#include <string>

#include "judge/edge_region.hpp"
#include "judge/supply.hpp"

namespace grader {

struct GapAdvice {
  std::string likely_cause, next_step;
  bool is_about_launch = false;  ///< the grid is wrong
};

/// Requires: no thread stored the region's elements, and all others were stored.
GapAdvice advice_on_missing(const Region& region, const std::optional<LaunchExtents>& launch);

}  // namespace grader
