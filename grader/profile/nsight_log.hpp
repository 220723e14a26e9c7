// Reads the log of Nsight Compute (`ncu --csv`): metrics by kernel. Pure. Not trusted: the profiled program
// can write to the log. Covered by tests/profile/nsight_log_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace grader {

/// A kernel on a real GPU.
struct MeasuredKernel {
  std::string name;  ///< kernel_name(): of people
  std::uint64_t launches = 0;
  /// By metric: sums are added up over the launches, other metrics are their mean. Without metrics that were
  /// not measured ("n/a") in one of the launches.
  std::map<std::string, double> metrics;
};

struct NsightLog {
  std::vector<MeasuredKernel> kernels;  ///< in the order of their first launches
  std::vector<std::string> errors;      ///< of the tool, and lines that cannot be read; a few of each
};

NsightLog read_nsight_log(std::string_view text);

/// The arguments of `ncu` that write such a log for these metrics.
std::vector<std::string> nsight_arguments(const std::vector<std::string>& metrics);

}  // namespace grader
