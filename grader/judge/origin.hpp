// Checks that a right result was computed on the device. The virtual GPU records the values that host and
// device exchange, in the grader's process. The rule for what the host may send: the inputs, any number of
// times, and constants, in few runs (word_runs.hpp); no value that the host computed from the inputs, and no
// selection of inputs. The rule for the result: each element is a value that came from the device, unchanged
// and not selected by the host. A value that came from the device and was not sent to it was computed by a
// kernel. Pure. Tested by judge/origin_test.cpp.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/diagnostic.hpp"
#include "runner/runner.hpp"

namespace grader {

/// WG-S27: a result was sent to the device; or, where all arrays are in host memory, a result did not come
/// from the device, or more was sent than inputs and constants. nullopt for jobs that need no device, and on
/// real GPU, where values are not recorded.
std::optional<Diagnostic> diagnose_origin(const CaseRun& run, const harness::Job& job);

/// Places in `session.words.to_device` of values that are the host's own: neither inputs nor constants, nor
/// values that the device had sent before. None, if an array is in device memory.
std::vector<std::size_t> places_of_own_values(const CaseRun& run, const harness::Job& job);

/// Whether a result is in more pieces of what came from the device than it has rows, so that the host can
/// have selected. False, if an array is in device memory.
bool is_assembled(const CaseRun& run, const harness::Job& job);

}  // namespace grader
