// Checks that the work was done on the device, by the traffic between host and device, which the virtual GPU
// counts in the grader's process. Pure. Tested by judge/traffic_test.cpp.
#pragma once

#include <optional>

#include "base/diagnostic.hpp"
#include "runner/runner.hpp"

namespace grader {

/// WG-S27: more bytes were copied back or sent to the device than a program that computes on the device
/// needs. nullopt for jobs that need no device, and on
/// a real GPU, where traffic is not counted.
std::optional<Diagnostic> diagnose_traffic(const CaseRun& run, const harness::Job& job);

}  // namespace grader
