// What in the student's text explains the first error of a case, or of the compiler: the slips of
// loop_slips.hpp, statement_slips.hpp and declaration_slips.hpp. Covered by tests/judge/slips_test.cpp.
#pragma once

#include <vector>

#include "judge/judge.hpp"

namespace grader {

/// Replaces the advice of the first error, if a slip explains what it says.
void name_slips(CaseVerdict& verdict, const SourceText& source);

/// The same for what the compiler says; it can report a line far from the slip.
void name_compile_slips(std::vector<Diagnostic>& errors, const SourceText& source);

}  // namespace grader
