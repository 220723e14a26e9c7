#include "report/kernel_limits.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "judge/wording.hpp"
#include "report/numbers.hpp"
#include "report/timeline_rows.hpp"
#include "vgpu/model/time.hpp"

namespace grader {
namespace {

/// The amount that a block or a thread uses of the limiting resource; empty for the number of blocks itself.
std::string amount_of(const vgpu::LaunchRecord& launch) {
  switch (launch.occupancy.limit) {
    case vgpu::OccupancyLimit::registers:
      return fmt::format(" ({} per thread{})", launch.registers_per_thread,
                         launch.registers_are_estimated ? ", estimated" : "");
    case vgpu::OccupancyLimit::shared_memory:
      return fmt::format(" ({} per block)",
                         bytes_text(launch.static_shared_bytes + launch.dynamic_shared_bytes));
    case vgpu::OccupancyLimit::threads:
      return fmt::format(" ({} per block)", launch.block.count());
    case vgpu::OccupancyLimit::blocks:
      break;
  }
  return "";
}

}  // namespace

std::string occupancy_reason(const vgpu::LaunchRecord& launch) {
  const vgpu::Occupancy& occupancy = launch.occupancy;
  return fmt::format("{} {} per SM, limited by {}{}", occupancy.blocks_per_sm,
                     occupancy.blocks_per_sm == 1 ? "block" : "blocks", name_of(occupancy.limit),
                     amount_of(launch));
}

std::string limits_text(const vgpu::LaunchRecord& launch) {
  return fmt::format("{}: limited by {}; occupancy {} ({})", kernel_name(launch.kernel),
                     vgpu::limiter_name(launch.time), percent_text(launch.occupancy.fraction()),
                     occupancy_reason(launch));
}

const vgpu::LaunchRecord* longest_kernel(const std::vector<vgpu::LaunchRecord>& launches) {
  struct Sum {
    double seconds = 0;
    const vgpu::LaunchRecord* longest = nullptr;
  };
  std::map<std::string, Sum> kernels;
  const Sum* most = nullptr;
  for (const vgpu::LaunchRecord& launch : launches) {
    if (launch.error != vgpu::LaunchError::none) continue;
    Sum& sum = kernels[launch.kernel];
    const double seconds = launch.time.total_s();
    if (sum.longest == nullptr || seconds > sum.longest->time.total_s()) sum.longest = &launch;
    sum.seconds += seconds;
    if (most == nullptr || sum.seconds > most->seconds) most = &sum;
  }
  return most == nullptr ? nullptr : most->longest;
}

}  // namespace grader
