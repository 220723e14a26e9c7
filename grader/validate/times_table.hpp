// Rows of kernel_timer.cuh's CSV, measured and modelled, and the pairs of kernels that a course compares.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace vgpu::validate {

struct TimedKernel {
  std::string group, kernel;
  long long size = 0;
  double measured_us = 0;  ///< caches cold
  double modelled_us = 0;
  std::string limited_by;  ///< according to the model; empty for copies

  double ratio() const { return modelled_us / measured_us; }
};

/// The better version of a kernel over a worse one, of the same group and size.
struct Improvement {
  const char *group, *before, *after;
};
const std::vector<Improvement>& improvements();

/// The presumed reason why the model misses a kernel's time; "not known" if there is none.
std::string reason(const TimedKernel& kernel);
/// The presumed reasons why the model misses the ratio of two kernels, with the ratios of modelled to
/// measured time; the kernel with the larger error comes first.
std::string reason(const TimedKernel& one, const TimedKernel& other);

}  // namespace vgpu::validate
