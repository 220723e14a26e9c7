// What the checks and the runtime found in the run of a case, independent of its results. Pure. Covered by
// judge/judge_test.cpp.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "harness/job.hpp"
#include "judge/judge.hpp"

namespace grader {

struct CaseFindings {
  std::vector<Diagnostic> diagnostics;
  bool is_decisive = false;       ///< right values do not excuse one of the diagnostics
  std::vector<Diagnostic> calls;  ///< failed calls
  std::optional<Diagnostic> leak;
};

/// The findings of all launches, with equal mistakes merged; races come first.
CaseFindings findings_of(const CaseRun& run, const harness::Job& job, const SourceText& source);

/// Warnings and notes of the checks, and memory that was not freed.
std::vector<Diagnostic> warnings_of(const CaseFindings& findings);

/// Memory, streams, events, graphs and memory pools that repeated calls of the job's function lose, so that a
/// process that calls it again and again runs out of them. A function that gets arrays in host memory must
/// free all memory; others may keep what the first calls allocate, but the last one, which repeats the call
/// before it, must not add to that. nullopt if the function is called once only.
std::optional<Diagnostic> lost_by_repeated_calls(const CaseFindings& findings, const CaseRun& run,
                                                 const harness::Job& job, const SourceText& source);

}  // namespace grader
