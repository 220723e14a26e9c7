// A cause of wrong values can fit one case by chance: with k = 33, a sum that lacks one term looks like a sum
// that lacks the last tile. Where more cases of the same function show wrong values that the cause does not
// give than such that it gives, the next guess takes its place. Pure. Covered by
// tests/judge/contradicted_test.cpp.
#pragma once

#include <span>

#include "judge/judge.hpp"

namespace grader {

/// `cases`: of one function. The result does not depend on their order.
void drop_contradicted(std::span<CaseVerdict* const> cases);

}  // namespace grader
