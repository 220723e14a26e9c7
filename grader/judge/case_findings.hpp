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

/// Streams, events, graphs and memory pools that the program did not destroy. `entry`: the function that was
/// called.
std::optional<Diagnostic> leaked_handles(const vgpu::cudart::SessionReport& session, const SourceText& source,
                                         std::string_view entry);

}  // namespace grader
