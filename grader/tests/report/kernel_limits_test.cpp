#include "report/kernel_limits.hpp"

#include "catch.hpp"

using namespace grader;

namespace {

vgpu::LaunchRecord launch_of(const std::string& kernel, double seconds) {
  vgpu::LaunchRecord launch;
  launch.kernel = kernel;
  launch.block = {256, 1, 1};
  launch.time.run_s = seconds;
  launch.time.part_s[static_cast<std::size_t>(vgpu::TimePart::dram)] = seconds;
  launch.occupancy = {6, 48, 48, vgpu::OccupancyLimit::threads};
  return launch;
}

}  // namespace

TEST_CASE("the line names the slowest part, the occupancy and what limits it") {
  vgpu::LaunchRecord launch = launch_of("_Z4minev", 1e-3);
  CHECK(limits_text(launch) ==
        "mine: limited by DRAM; occupancy 100 % (6 blocks per SM, limited by threads (256 per block))");
  launch.occupancy = {8, 16, 48, vgpu::OccupancyLimit::blocks};
  CHECK(limits_text(launch) ==
        "mine: limited by DRAM; occupancy 33.3 % (8 blocks per SM, limited by blocks)");
  launch.occupancy = {1, 32, 48, vgpu::OccupancyLimit::registers};
  launch.registers_per_thread = 40;
  CHECK(occupancy_reason(launch) == "1 block per SM, limited by registers (40 per thread, estimated)");
  launch.registers_are_estimated = false;
  CHECK(occupancy_reason(launch) == "1 block per SM, limited by registers (40 per thread)");
  launch.occupancy = {4, 32, 48, vgpu::OccupancyLimit::shared_memory};
  launch.static_shared_bytes = 8192;
  launch.dynamic_shared_bytes = 2048;
  CHECK(occupancy_reason(launch) == "4 blocks per SM, limited by shared memory (10 KiB per block)");
}

TEST_CASE("the longest kernel is the one whose launches take longest together") {
  std::vector<vgpu::LaunchRecord> launches = {launch_of("_Z1av", 3), launch_of("_Z1bv", 2),
                                              launch_of("_Z1bv", 2.5)};
  CHECK(longest_kernel(launches) == &launches[2]);
  launches[2].error = vgpu::LaunchError::faulted;
  CHECK(longest_kernel(launches) == launches.data());
  CHECK(longest_kernel({}) == nullptr);
}
