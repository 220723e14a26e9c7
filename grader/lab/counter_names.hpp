// The counters that an objective in lab.json may name; score/counters.cpp gives their values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/workload.hpp"

namespace grader {

/// Counters of a whole run.
const std::vector<std::string>& counter_names();

/// A counter divided by a quantity: "barriers_per_block" is barriers over blocks.
struct Ratio {
  std::string counter, quantity;
};

/// nullopt: not of that form, or no such counter. Quantities are the workload's (Workload::quantities) and
/// those that every run has: "launch" and "block", of all launches together.
std::optional<Ratio> parse_ratio(const std::string& name, const std::vector<std::string>& quantities);

/// All that a lab with this workload may name.
std::vector<std::string> counter_names(const Workload& workload);

}  // namespace grader
