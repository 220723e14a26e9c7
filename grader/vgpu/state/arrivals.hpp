// The number of threads that arrived at each barrier of a block without waiting (flow/barriers.hpp).
#pragma once

#include <array>
#include <cstdint>

namespace vgpu::exec {

inline constexpr std::uint32_t kNamedBarriers = 16;
/// Blocks are clusters of one block each: the cluster's barrier is one more of the block.
inline constexpr std::uint32_t kClusterBarrier = kNamedBarriers;

/// Threads that arrived at each barrier without waiting.
using Arrivals = std::array<std::uint32_t, kNamedBarriers + 1>;

}  // namespace vgpu::exec
