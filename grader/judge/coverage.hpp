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

/// Why threads access memory outside of an array, although the matrix that they store has exactly one thread
/// per element, so that no guard is missing. Empty if the launch has other extents, or if exchanged rows and
/// columns would show nothing.
std::optional<GapAdvice> advice_on_exact_launch(std::size_t rows, std::size_t columns,
                                                const LaunchExtents& launch);

}  // namespace grader
