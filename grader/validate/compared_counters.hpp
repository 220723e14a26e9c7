// The metrics of Nsight Compute that correspond to our counters, how close they should be, and the reasons
// for differences.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "vgpu/facts/counters.hpp"

namespace vgpu::validate {

/// A kernel on the virtual GPU; its launches are added up.
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
  double tolerance = 0;  ///< relative to Nsight's value
  std::string reason;    ///< for differences without a kernel-specific reason
  MetricSum per = {};    ///< the divisor of the metrics' sum; empty: no division
};

const std::vector<ComparedCounter>& compared_counters();

/// The reason why this kernel's counts differ.
std::string reason(const ComparedCounter& counter, const std::string& kernel);

}  // namespace vgpu::validate
