// Numbers that a function calculates on the host, such as how many warps diverge, must not be measured by its
// kernels. Where the arrays are in device memory, such a function has nothing to copy back but the arrays.
// Pure. Tested by judge/measured_outputs_test.cpp.
#pragma once

#include <optional>

#include "base/diagnostic.hpp"
#include "runner/runner.hpp"

namespace grader {

/// WG-S27: the device sent the host values that are not elements of an array of the call, and the job has an
/// output that the host must calculate. nullopt on a real GPU, where values are not recorded. Requires: `run`
/// is accepted.
std::optional<Diagnostic> diagnose_measured_outputs(const CaseRun& run, const harness::Job& job);

}  // namespace grader
