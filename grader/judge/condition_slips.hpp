// Slips in the student's text of which compilers only warn: conditions that assign, comparisons in a chain,
// functions without a return statement. A search in text, for advice about a program that is known to be
// wrong. Covered by tests/judge/typing_slips_test.cpp.
#pragma once

#include <optional>

#include "judge/advice.hpp"
#include "judge/judge.hpp"

namespace grader {

/// `if (i = n)`, or `0 <= i < n`, which compares 0 or 1 with n.
std::optional<Advice> slip_in_conditions(const SourceText& source);

/// A function that has a type, and no return statement.
std::optional<Advice> missing_return(const SourceText& source);

}  // namespace grader
