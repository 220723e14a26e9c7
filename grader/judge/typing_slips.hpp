// Slips that are visible in the student's text and change what it does, wherever the run shows it: a
// semicolon that ends a loop or a condition, a loop over all elements whose step leaves out the number of
// blocks, (x, y) without dim3, a tile without __shared__, a store to constant memory, =+ for +=, a pointer
// for an array in shared memory. A search in text, for advice about a program that is known to be wrong.
// Covered by tests/judge/typing_slips_test.cpp.
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

/// `dim3 grid = (x, y);` or `<<<(x, y), …>>>`.
std::optional<Advice> comma_without_dim3(const SourceText& source);

/// An array of a function with a barrier that is indexed by threads, and is not in shared memory.
std::optional<Advice> tile_without_shared(const SourceText& source);

/// A kernel assigns to a variable in constant memory.
std::optional<Advice> store_to_constant(const SourceText& source);

/// `for (int k = 0; k <= n; ++k)` in the line of the access or shortly before it.
std::optional<Advice> loop_to_the_extent(const SourceText& source, std::size_t access);

/// `sum =+ x`.
std::optional<Advice> sign_after_equals(const SourceText& source);

/// `static float tile[16];` in a kernel.
std::optional<Advice> static_in_kernel(const SourceText& source);

/// `extern __shared__ float* tile;`, or a pointer in shared memory that is never assigned.
std::optional<Advice> pointer_in_shared_memory(const SourceText& source);

/// Replaces the advice of the first error, if a slip explains what it says.
void name_slips(CaseVerdict& verdict, const SourceText& source);

}  // namespace grader
