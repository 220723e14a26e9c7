// The number of blocks of a launch that an SM can hold at the same time, and its limit: the rules of the CUDA
// occupancy calculator with the limits and allocation units of a device profile. Covered by
// tests/model/occupancy_test.cpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "vgpu/model/profile.hpp"

namespace vgpu {

struct BlockNeeds {
  std::uint64_t threads = 1;
  std::size_t shared_bytes = 0;            ///< static and dynamic
  std::uint32_t registers_per_thread = 0;  ///< 0: unknown, no limit
  /// At least one block then fits by registers: for a block of this size, the compiler would use fewer.
  bool registers_are_estimated = false;
};

enum class OccupancyLimit : std::uint8_t { blocks, threads, registers, shared_memory };
/// "shared memory"
std::string_view name_of(OccupancyLimit limit);

struct Occupancy {
  std::uint32_t blocks_per_sm = 0;  ///< 0: not even one fits
  std::uint32_t warps_per_sm = 0;
  std::uint32_t max_warps_per_sm = 0;
  OccupancyLimit limit{};  ///< the resource that allows the fewest blocks; the first of equal ones

  /// Theoretical occupancy, from 0 to 1.
  double fraction() const {
    return max_warps_per_sm == 0 ? 0 : static_cast<double>(warps_per_sm) / max_warps_per_sm;
  }
};

/// The most shared memory that cudaFuncSetAttribute can give a block: all of an SM's, less the reserved
/// bytes.
inline std::size_t largest_shared_bytes(const Profile& profile) {
  return profile.shared_bytes_per_sm - std::min(profile.shared_reserved_bytes, profile.shared_bytes_per_sm);
}

Occupancy occupancy(const Profile& profile, const BlockNeeds& block);

}  // namespace vgpu
