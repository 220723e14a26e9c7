// CUDA calls and launches that failed. Covered by judge/failed_calls_test.cpp.
#pragma once

#include <optional>
#include <vector>

#include "base/diagnostic.hpp"
#include "harness/job.hpp"
#include "judge/judge.hpp"
#include "runner/runner.hpp"

namespace grader {

/// Failed launches first, then other failed or missing runtime calls, then an error that the harness
/// encountered. Empty if nothing failed. Calls in the student's file have the line that the program reported.
std::vector<Diagnostic> diagnose_calls(const CaseRun& run, const SourceText& source);

/// Replaces the advice on a refused launch if the refusal itself is not the mistake: if the case is about a
/// launch that must fail, or if the launch of an earlier call failed and later ones did not.
void advise_on_refusal(std::vector<Diagnostic>& calls, const CaseRun& run, const harness::Job& job,
                       const SourceText& source);

/// For a case whose launch must fail: the harness found the launch's error, which the function must return
/// and reset. nullopt if the harness found none.
std::optional<Diagnostic> diagnose_left_error(const CaseRun& run, const harness::Job& job,
                                              const SourceText& source);

}  // namespace grader
