// Rows of kernel_timer.cuh's CSV, measured and modelled, and which of them a course compares.
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
  std::string limited_by;  ///< of the model; empty for copies

  double ratio() const { return modelled_us / measured_us; }
};

/// The better version of a kernel over a worse one, of the same group and size.
struct Improvement {
  const char *group, *before, *after;
};
const std::vector<Improvement>& improvements();

/// Why the model misses a kernel's time, as far as anyone knows.
std::string reason(const TimedKernel& kernel);
/// Why it misses how two kernels compare: the one that it misses more first, with modelled over measured
/// time.
std::string reason(const TimedKernel& one, const TimedKernel& other);

}  // namespace vgpu::validate
