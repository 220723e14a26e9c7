// Which of our counters corresponds to which metrics of Nsight Compute, how close they should be, and why
// they are not equal where they are not.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "vgpu/facts/counters.hpp"

namespace vgpu::validate {

/// A kernel on the virtual GPU, its launches added up.
struct KernelRun {
  Counters counters;
  double occupancy = 0;  ///< theoretical, in percent: the mean of the launches
};

using MetricSum = std::vector<std::pair<std::string, double>>;  ///< metrics with factors

struct ComparedCounter {
  std::string name;
  std::string definition;
  std::function<double(const KernelRun&)> ours;
  MetricSum metrics;     ///< compared with ours
  double tolerance = 0;  ///< of Nsight's value
  std::string reason;    ///< for a difference that no kernel's own reason explains
  MetricSum per = {};    ///< what the metrics' sum is divided by; empty: nothing
};

const std::vector<ComparedCounter>& compared_counters();

/// Why this kernel's counts are not equal.
std::string reason(const ComparedCounter& counter, const std::string& kernel);

}  // namespace vgpu::validate
