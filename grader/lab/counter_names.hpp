// The counters that an objective in lab.json may name; score/counters.cpp gives their values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/workload.hpp"

namespace grader {

/// Counters of a whole run.
const std::vector<std::string>& counter_names();

/// What a name "above_per_below" divides. Above: a counter, or else a quantity of the workload with an s.
/// Below: a quantity of the workload (Workload::quantities), or one that every run has: "launch" and "block",
/// of all launches together; "clock" and "call_clock", an SM's clocks during all kernels and during the whole
/// call. So "barriers_per_block" is barriers over blocks, and "outputs_per_clock" a workload's outputs over
/// clocks.
struct Ratio {
  std::string above, below;
};

/// nullopt: not of that form, or no such counter. `quantities` are the workload's.
std::optional<Ratio> parse_ratio(const std::string& name, const std::vector<std::string>& quantities);

/// All that a lab with this workload may name.
std::vector<std::string> counter_names(const Workload& workload);

}  // namespace grader
