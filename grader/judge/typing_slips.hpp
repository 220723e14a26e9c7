// Slips that are visible in the student's text and change what it does, wherever the run shows it: a
// semicolon that ends a loop or a condition, a loop over all elements whose step leaves out the number of
// blocks. A search in text, for advice about a program that is known to be wrong. Covered by
// tests/judge/typing_slips_test.cpp.
#pragma once

#include <optional>

#include "judge/advice.hpp"
#include "judge/judge.hpp"

namespace grader {

/// `for (…);` or `if (…);` before an indented line or a block.
std::optional<Advice> empty_statement(const SourceText& source);

/// A loop from blockIdx.x * blockDim.x + threadIdx.x on, in steps of blockDim.x or gridDim.x only.
std::optional<Advice> step_of_a_part(const SourceText& source);

/// Replaces the advice of the first error, if a slip explains what it says.
void name_slips(CaseVerdict& verdict, const SourceText& source);

}  // namespace grader
