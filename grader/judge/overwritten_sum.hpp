// A term that is assigned to a sum, not added: `=` for `+=`. A search in text, as in source_hints.hpp.
// Covered by tests/judge/visible_mistakes_test.cpp.
#pragma once

#include "judge/visible_mistakes.hpp"

namespace grader {

/// In a loop of a kernel: a variable that begins at 0 gets a term by `=`, or a value that comes from another
/// lane takes the place of the own one.
FoundMistake overwritten_sum(const SourceText& source, Launches launches);

}  // namespace grader
