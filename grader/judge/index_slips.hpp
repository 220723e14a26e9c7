// Slips in the formula of an index. A search in text, for advice about a program that is known to be wrong.
// Covered by tests/judge/slips_test.cpp.
#pragma once

#include <optional>

#include "judge/advice.hpp"
#include "judge/judge.hpp"

namespace grader {

/// `blockIdx.x * gridDim.x`: blocks are counted in blocks.
std::optional<Advice> grid_for_block(const SourceText& source);

}  // namespace grader
