// Was the work done on the device? Held against what crossed between host and device, which the virtual GPU
// counts in the grader's process. Pure. Covered by judge/traffic_test.cpp.
#pragma once

#include <optional>

#include "base/diagnostic.hpp"
#include "runner/runner.hpp"

namespace grader {

/// WG-S27: more of the inputs came back, or more was sent to the device, than a program needs that computes
/// there; or its kernels touched less than the data. nullopt for jobs that need no device, and on a real GPU,
/// where nobody counts.
std::optional<Diagnostic> diagnose_traffic(const CaseRun& run, const harness::Job& job);

}  // namespace grader
