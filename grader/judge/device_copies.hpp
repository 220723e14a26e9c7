// Checks that kernels, and not copies within the device, rearrange data and store the result: cudaMemcpy2D
// can transpose a matrix without a kernel. Copies of what kernels stored, and of whole rows to other buffers,
// are permitted. Pure. Tested by judge/device_copies_test.cpp.
#pragma once

#include <optional>

#include "base/diagnostic.hpp"
#include "harness/job.hpp"
#include "runner/case_run.hpp"

namespace grader {

/// WG-S27: a copy within the device put a part of the result in its place that no kernel had stored, or such
/// copies rearranged data in small pieces. nullopt for jobs that need no device, and on a real GPU, where
/// copies are not recorded.
std::optional<Diagnostic> diagnose_device_copies(const CaseRun& run, const harness::Job& job);

}  // namespace grader
