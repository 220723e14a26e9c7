// What went wrong on the host's side, as diagnostics: how the program ended, failed launches and CUDA calls.
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

/// What the end of the process itself says; nullopt when the harness sent a complete answer. A crash has the
/// line that the program named.
std::optional<EndVerdict> diagnose_end(const CaseRun& run, const harness::Job& job, const SourceText& source);

/// Failed launches first, then other failed or missing runtime calls, then what the harness met. Empty: none.
/// Those in the student's file have their line there, as the program says.
std::vector<Diagnostic> diagnose_calls(const CaseRun& run, const SourceText& source);

/// "cudaErrorInvalidConfiguration (9)"; "CUDA error 12345" for an unknown one.
std::string error_name(int error);

}  // namespace grader
