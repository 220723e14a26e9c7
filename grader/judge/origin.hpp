// Checks that the values of a right result were computed on the device, by the values that host and device
// exchanged, which the virtual GPU records in the grader's process. Pure. Tested by judge/origin_test.cpp.
//
// What goes up may be the inputs, in any order and as often as it takes, and constants; what the host makes
// of the inputs may not. What comes down is the result, and the host changes none of it. Together: a result
// that came down and did not go up was computed by a kernel, from the inputs.
#pragma once

#include <optional>

#include "base/diagnostic.hpp"
#include "runner/runner.hpp"

namespace grader {

/// WG-S27: a result went up to the device; or, where all arrays are in host memory, a result did not come
/// from the device, or more went up than inputs and constants. nullopt for jobs that need no device, and on a
/// real GPU, where values are not recorded.
std::optional<Diagnostic> diagnose_origin(const CaseRun& run, const harness::Job& job);

}  // namespace grader
