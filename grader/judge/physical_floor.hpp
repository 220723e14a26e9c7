// Times that no program can reach on a real GPU: shorter than its memory needs to deliver the inputs once, or
// its lanes to do the operations. Whoever measures one has been deceived. Pure.
#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.hpp"
#include "harness/job.hpp"
#include "runner/cuda_device.hpp"

namespace grader {

/// Seconds, for a call that meets cold caches. `operations`: Workload::operations().
double least_seconds(const PeakRates& peak, const harness::Job& job, double operations);

/// WG-S40 when a call's `seconds` are below `least_s`.
std::optional<Diagnostic> impossible_time(const std::string& case_name, double seconds, double least_s);

}  // namespace grader
