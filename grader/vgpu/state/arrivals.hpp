// The number of threads that arrived at each barrier of a block without waiting (flow/barriers.hpp).
#pragma once

#include <array>
#include <cstdint>

namespace vgpu::exec {

inline constexpr std::uint32_t kNamedBarriers = 16;
/// Every block is a cluster of its own: the cluster's barrier is an additional barrier of the block.
inline constexpr std::uint32_t kClusterBarrier = kNamedBarriers;

/// Indexed by barrier number.
using Arrivals = std::array<std::uint32_t, kNamedBarriers + 1>;

}  // namespace vgpu::exec
