// Diagnostics for the host side: how the program ended, failed launches and failed CUDA calls.
#pragma once

#include <optional>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/verdict.hpp"
#include "harness/job.hpp"
#include "judge/judge.hpp"
#include "runner/runner.hpp"

namespace grader {

struct EndVerdict {
  Verdict verdict = Verdict::grader_fault;
  Diagnostic diagnostic;
};

/// The diagnosis of how the process ended; nullopt if the harness sent a complete answer. For a crash, the
/// source line is the one that the program reported.
std::optional<EndVerdict> diagnose_end(const CaseRun& run, const harness::Job& job, const SourceText& source);

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

/// "cudaErrorInvalidConfiguration (9)"; "CUDA error 12345" for an unknown number.
std::string error_name(int error);

}  // namespace grader
