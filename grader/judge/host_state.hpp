// Checks that a value that a lab keeps on the device from call to call is not kept on the host: the host
// would pass it to a kernel, or upload it, for each call. Pure. Tested by judge/host_state_test.cpp.
#pragma once

#include <optional>

#include "base/diagnostic.hpp"
#include "runner/runner.hpp"

namespace grader {

/// WG-S27: what the host sends to the device changes from call to call, although neither inputs nor addresses
/// explain it, nor values that the program reads back from the device for this purpose. nullopt for jobs
/// without outputs that must be copied from the device, and on a real GPU, where values are not recorded.
std::optional<Diagnostic> diagnose_host_state(const CaseRun& run, const harness::Job& job);

}  // namespace grader
