// How many blocks of a launch an SM holds at once, and what limits them: the rules of the CUDA occupancy
// calculator with the limits and allocation units of a device profile. Covered by
// tests/model/occupancy_test.cpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "vgpu/model/profile.hpp"

namespace vgpu {

struct BlockNeeds {
  std::uint64_t threads = 1;
  std::size_t shared_bytes = 0;            ///< static and dynamic
  std::uint32_t registers_per_thread = 0;  ///< 0: not known, no limit
};

enum class OccupancyLimit : std::uint8_t { blocks, threads, registers, shared_memory };

struct Occupancy {
  std::uint32_t blocks_per_sm = 0;  ///< 0: not even one fits
  std::uint32_t warps_per_sm = 0;
  std::uint32_t max_warps_per_sm = 0;
  OccupancyLimit limit{};  ///< the first of those that allow the fewest blocks

  /// Theoretical occupancy, from 0 to 1.
  double fraction() const {
    return max_warps_per_sm == 0 ? 0 : static_cast<double>(warps_per_sm) / max_warps_per_sm;
  }
};

/// What a block can have where cudaFuncSetAttribute asks for more than shared_bytes_per_block: all that an SM
/// has.
inline std::size_t largest_shared_bytes(const Profile& profile) {
  return profile.shared_bytes_per_sm - std::min(profile.shared_reserved_bytes, profile.shared_bytes_per_sm);
}

Occupancy occupancy(const Profile& profile, const BlockNeeds& block);

}  // namespace vgpu
