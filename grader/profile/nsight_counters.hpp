// The metrics of Nsight Compute that correspond to our counters, how close they should be, and the reasons
// for differences. Used by `warpgrade profile` on a real GPU and by validate/.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "vgpu/facts/counters.hpp"

namespace grader {

/// A kernel on the virtual GPU; its launches are added up.
struct VirtualKernel {
  vgpu::Counters counters;
  double occupancy = 0;  ///< theoretical, in percent: the mean of the launches
};

using MetricSum = std::vector<std::pair<std::string, double>>;  ///< metrics with factors

struct NsightCounter {
  std::string name;
  std::string definition;
  std::function<double(const VirtualKernel&)> ours;
  MetricSum metrics;     ///< compared with ours
  double tolerance = 0;  ///< relative to Nsight's value
  std::string reason;    ///< for differences without a kernel-specific reason
  MetricSum per = {};    ///< the divisor of the metrics' sum; empty: no division
};

const std::vector<NsightCounter>& nsight_counters();

}  // namespace grader
