// Times that no program can reach on a real GPU: shorter than the memory needs to deliver the inputs once, or
// than the lanes need to do the operations. Such a measurement has been tampered with. Pure.
#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.hpp"
#include "harness/job.hpp"
#include "runner/cuda_device.hpp"

namespace grader {

/// Minimum seconds for a call with cold caches. `operations`: Workload::operations().
double least_seconds(const PeakRates& peak, const harness::Job& job, double operations);

/// WG-S40 when a call's `seconds` are below `least_s`.
std::optional<Diagnostic> impossible_time(const std::string& case_name, double seconds, double least_s);

}  // namespace grader
