#include "vgpu/model/occupancy.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

namespace vgpu {
namespace {

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t unit) {
  return unit == 0 ? value : (value + unit - 1) / unit * unit;
}

std::uint64_t blocks_by_registers(const Profile& profile, std::uint64_t warps, std::uint32_t registers) {
  if (registers == 0) return std::numeric_limits<std::uint64_t>::max();
  // Registers are allocated per warp, in units. (CUDA occupancy calculator, "warps limited by registers".)
  const std::uint64_t per_warp = rounded_up(registers * kWarpLanes, profile.register_allocation_unit);
  // Each of an SM's schedulers has an equal part of the registers, which holds whole warps only.
  const auto schedulers = static_cast<std::uint64_t>(std::max(profile.issues_per_clock_per_sm, 1.0));
  return profile.registers_per_sm / schedulers / per_warp * schedulers / warps;
}

/// Shared memory is allocated per block, in units, with the bytes that the system reserves in each block.
std::uint64_t blocks_by_shared_memory(const Profile& profile, std::size_t shared_bytes) {
  const std::uint64_t bytes =
      rounded_up(shared_bytes + profile.shared_reserved_bytes, profile.shared_allocation_bytes);
  return bytes == 0 ? std::numeric_limits<std::uint64_t>::max() : profile.shared_bytes_per_sm / bytes;
}

}  // namespace

std::string_view name_of(OccupancyLimit limit) {
  switch (limit) {
    case OccupancyLimit::blocks:
      return "blocks";
    case OccupancyLimit::threads:
      return "threads";
    case OccupancyLimit::registers:
      return "registers";
    case OccupancyLimit::shared_memory:
      break;
  }
  return "shared memory";
}

Occupancy occupancy(const Profile& profile, const BlockNeeds& block) {
  const std::uint64_t warps = std::max<std::uint64_t>((block.threads + kWarpLanes - 1) / kWarpLanes, 1);
  Occupancy result;
  result.max_warps_per_sm = profile.max_threads_per_sm / static_cast<std::uint32_t>(kWarpLanes);
  std::uint64_t blocks = profile.max_blocks_per_sm;
  const auto limit_to = [&](std::uint64_t most, OccupancyLimit limit) {
    if (most >= blocks) return;
    blocks = most;
    result.limit = limit;
  };
  limit_to(result.max_warps_per_sm / warps, OccupancyLimit::threads);
  const std::uint64_t by_registers = blocks_by_registers(profile, warps, block.registers_per_thread);
  limit_to(block.registers_are_estimated ? std::max<std::uint64_t>(by_registers, 1) : by_registers,
           OccupancyLimit::registers);
  limit_to(blocks_by_shared_memory(profile, block.shared_bytes), OccupancyLimit::shared_memory);
  assert(blocks * warps <= result.max_warps_per_sm);
  result.blocks_per_sm = static_cast<std::uint32_t>(blocks);
  result.warps_per_sm = static_cast<std::uint32_t>(blocks * warps);
  return result;
}

}  // namespace vgpu
