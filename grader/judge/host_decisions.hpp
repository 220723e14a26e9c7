// Where a lab's arrays are in device memory, the host has nothing to decide or to compute from their values:
// what it asks of the device follows from sizes, the device's properties and its arguments in host memory. A
// program to which the device has sent something runs a second time, with other values in device memory, and
// must ask the same (vgpu/cudart/device_side/host_commands.hpp). Pure. Tested by
// judge/host_decisions_test.cpp.
#pragma once

#include <optional>

#include "base/diagnostic.hpp"
#include "runner/runner.hpp"

namespace grader {

/// Whether a second run is needed: the host could know values when it asked something of the device, or when
/// it wrote a result. Never on a real GPU, where nothing is recorded.
bool host_can_follow_values(const CaseRun& run, const harness::Job& job);

/// WG-S27: the host asks other things of the device if the values in device memory are those of `other`, or
/// takes a result from another place. `run` is accepted. WG-G10 if the grader could not run the program
/// again.
std::optional<Diagnostic> diagnose_host_decisions(const CaseRun& run, const CaseRun& other,
                                                  const harness::Job& job);

}  // namespace grader
