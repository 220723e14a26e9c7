// Slips in declarations that are visible in the student's text: (x, y) without dim3, a tile without
// __shared__, a pointer for an array in shared memory, a static variable in a kernel, a store to constant
// memory, a variable that hides another. A search in text, for advice about a program that is known to be
// wrong. Covered by tests/judge/slips_test.cpp.
#pragma once

#include <optional>

#include "judge/advice.hpp"
#include "judge/judge.hpp"

namespace grader {

/// `dim3 grid = (x, y);` or `<<<(x, y), …>>>`.
std::optional<Advice> comma_without_dim3(const SourceText& source);

/// An array of a function with a barrier that is indexed by threads, and is not in shared memory.
std::optional<Advice> tile_without_shared(const SourceText& source);

/// A kernel assigns to a variable in constant memory.
std::optional<Advice> store_to_constant(const SourceText& source);

/// `static float tile[16];` in a kernel.
std::optional<Advice> static_in_kernel(const SourceText& source);

/// `extern __shared__ float* tile;`, or a pointer in shared memory that is never assigned.
std::optional<Advice> pointer_in_shared_memory(const SourceText& source);

/// `float sum = 0;` in a loop of a function that declares `sum` before the loop, too.
std::optional<Advice> hidden_variable(const SourceText& source);

}  // namespace grader
