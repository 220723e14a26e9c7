// Which of our counters corresponds to which metrics of Nsight Compute, how close they should be, and why
// they are not equal where they are not.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "vgpu/observe/counters.hpp"

namespace vgpu::validate {

struct ComparedCounter {
  std::string name;
  std::string definition;
  double (*ours)(const Counters&);
  std::vector<std::pair<std::string, double>> metrics;  ///< with factors; their sum is what is compared
  double tolerance = 0;                                 ///< of the metrics' sum
  std::string reason;  ///< for a difference that no kernel's own reason explains
};

const std::vector<ComparedCounter>& compared_counters();

/// Why this kernel's counts are not equal.
std::string reason(const ComparedCounter& counter, const std::string& kernel);

}  // namespace vgpu::validate
