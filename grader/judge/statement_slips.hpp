// Slips in statements, of which compilers only warn, if at all: conditions that assign, comparisons in a
// chain, functions without a return statement, results that are dropped or replaced, =+ for +=, launches
// without a number of threads, lanes computed as warps, arguments in the wrong place. A search in text, for
// advice about a program that is known to be wrong. Covered by tests/judge/slips_test.cpp.
#pragma once

#include <optional>

#include "judge/advice.hpp"
#include "judge/judge.hpp"

namespace grader {

/// `if (i = n)`, or `0 <= i < n`, which compares 0 or 1 with n.
std::optional<Advice> slip_in_conditions(const SourceText& source);

/// `if (row < m || column < n)`, or with a question mark, before an access to the element.
std::optional<Advice> either_extent(const SourceText& source);

/// A function that has a type, and no return statement.
std::optional<Advice> missing_return(const SourceText& source);

/// `fminf(least, x);`
std::optional<Advice> dropped_result(const SourceText& source);

/// `__shfl_down_sync(value, mask, 1)`
std::optional<Advice> mask_not_first(const SourceText& source);

/// `lane = threadIdx.x / 32`, which is the number of the warp.
std::optional<Advice> lane_of_quotient(const SourceText& source);

/// `kernel<<<blocks>>>(…)`
std::optional<Advice> launch_without_threads(const SourceText& source);

/// `__ballot(…)`, without _sync.
std::optional<Advice> old_warp_function(const SourceText& source);

/// `value = __shfl_down_sync(mask, value, 1);`
std::optional<Advice> replaced_by_shuffle(const SourceText& source);

/// `sum =+ x`.
std::optional<Advice> sign_after_equals(const SourceText& source);

/// `cudaMemset(d_count, 1, sizeof(int))`, which sets each byte.
std::optional<Advice> fill_of_bytes(const SourceText& source);

}  // namespace grader
