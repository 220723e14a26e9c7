// Reports inputs that the student's function changed: their parameters are pointers to const. Pure. Tested by
// judge/kept_inputs_test.cpp.
#pragma once

#include <vector>

#include "base/diagnostic.hpp"
#include "judge/judge.hpp"
#include "runner/runner.hpp"

namespace grader {

/// WG-M15: one diagnostic per array, for the first call that changed it.
std::vector<Diagnostic> diagnose_changed_inputs(const CaseRun& run, const harness::Job& job,
                                                const SourceText& source);

}  // namespace grader
