// Slips in the headers of loops and conditions that are visible in the student's text: a semicolon that ends
// them, a step that leaves out the number of blocks, an end that is one too far. A search in text, for advice
// about a program that is known to be wrong. Covered by tests/judge/slips_test.cpp.
#pragma once

#include <optional>

#include "judge/advice.hpp"
#include "judge/judge.hpp"

namespace grader {

/// `for (…);` or `if (…);` before an indented line or a block, or before a use of the loop's variable.
std::optional<Advice> empty_statement(const SourceText& source);

/// A loop from blockIdx.x * blockDim.x + threadIdx.x on, in steps of blockDim.x or gridDim.x only.
std::optional<Advice> step_of_a_part(const SourceText& source);

/// A loop in steps of all threads of the grid that begins at threadIdx.x in every block.
std::optional<Advice> start_without_block(const SourceText& source);

/// `for (int k; k < n; ++k)`
std::optional<Advice> counter_without_value(const SourceText& source);

/// `for (unsigned y = row - radius; …; ++y)`, or `x >= 0` for an unsigned x.
std::optional<Advice> unsigned_below_0(const SourceText& source);

/// `for (int k = 0; k <= n; ++k)` in the line of the access or shortly before it.
std::optional<Advice> loop_to_the_extent(const SourceText& source, std::size_t access);

}  // namespace grader
