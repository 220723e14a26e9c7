// The faults of a run's kernels as diagnostics, with what other facts of the run show about their causes: the
// launch's extents, allocations, texts in the source. Covered by tests/judge/case_faults_test.cpp.
#pragma once

#include <vector>

#include "judge/judge.hpp"

namespace grader {

/// The launch ran too long for another reason than its races.
bool is_endless(const vgpu::Fault& fault);
/// A kernel used a null pointer, as of memory that a call did not allocate.
bool is_null_access(const vgpu::Fault& fault);

/// `faults` are of the run. `has_findings`: the run's findings include errors, so that they explain a launch
/// that was stopped because of its races.
std::vector<Diagnostic> diagnose_faults(const std::vector<const vgpu::Fault*>& faults,
                                        const harness::Job& job, const CaseRun& run, const SourceText& source,
                                        bool has_findings);

}  // namespace grader
