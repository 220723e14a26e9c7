// The host has nothing to decide or to compute from the values of a lab's arrays: what it asks of the device
// follows from sizes, the device's properties and its numbers. Where the arrays are in device memory, a
// program to which the device has sent something runs a second time, with other values there, and must ask
// the same (vgpu/cudart/device_side/host_commands.hpp). Where they are in host memory, so does a program
// whose commands have room for results, that sends values of its own, or that puts a result together from
// pieces: its own values must be the same, and results come from the same places of what was copied. What
// else copies may contain is another check (judge/origin.hpp). Pure. Tested by judge/host_decisions_test.cpp.
#pragma once

#include <optional>

#include "base/diagnostic.hpp"
#include "runner/runner.hpp"

namespace grader {

/// Whether a second run is needed: the host could know values when it asked something of the device, or when
/// it wrote a result. Never on a real GPU, where nothing is recorded, not even launches. Requires: `run` is
/// accepted.
bool host_can_follow_values(const CaseRun& run, const harness::Job& job);

/// WG-S27: the host asks other things of the device if the values of the arrays are those of `other`, or
/// sends other values of its own, or takes a result from another place. `run` is accepted. WG-G10 if the
/// grader could not run the program again.
std::optional<Diagnostic> diagnose_host_decisions(const CaseRun& run, const CaseRun& other,
                                                  const harness::Job& job);

/// Excludes words from the comparison that `again`, a run with the same values, sent otherwise: a time, a
/// random number, the padding of a structure. Excludes none if these words have room for results, because a
/// host could hide results in what looks random; so none if the arrays are in device memory, where one value
/// (a sum, a maximum, a count) can be all that the host must not compute.
void exclude_unsteady_words(CaseRun& run, const CaseRun& again, const harness::Job& job);

}  // namespace grader
