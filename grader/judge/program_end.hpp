// How the student's process ended, if the harness sent no complete answer. Covered by
// judge/program_end_test.cpp.
#pragma once

#include <optional>

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

}  // namespace grader
