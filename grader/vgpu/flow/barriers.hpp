// The barriers of a block (PTX ISA 9.7.13.1, bar and barrier; 9.7.13.3, barrier.cluster). Threads that wait
// are parked paths (divergence.hpp); here is what they wait for, and who has arrived without waiting.
//
// Arrivals count as the manual says: a warp that arrives as a whole counts as 32 threads however many it has,
// and a part of a warp by its lanes. Threads that have exited are not waited for.
#pragma once

#include <cstdint>

#include "vgpu/state/arrivals.hpp"
#include "vgpu/state/decoded.hpp"

namespace vgpu::exec {

struct Core;
struct Warp;
struct Path;

/// What bar.red computes of all threads' predicates.
enum class BarrierReduction : std::uint8_t { none, popc, all, any };

/// Decoded::option of barriers: alignment, reduction, and kNegatedOperand for its predicate.
inline constexpr std::uint8_t kAlignedBarrier = 1;
constexpr std::uint8_t option_of(BarrierReduction reduction) {
  return static_cast<std::uint8_t>(static_cast<unsigned>(reduction) << 1U);
}

namespace control {

/// bar.sync, bar.red, barrier.cluster.wait: a = number, b = threads or kNowhere, c = predicate, dst = result.
const Decoded* barrier(Warp& warp, const Decoded& d);
/// bar.arrive: a = number, b = threads.
const Decoded* arrive_at_barrier(Warp& warp, const Decoded& d);
/// Whether the lanes of a path parked here wait for the block, not for other lanes of their warp.
bool waits_for_block(const Decoded& d);

}  // namespace control

/// Opens every barrier at which all the threads it waits for have arrived; false if there is none.
bool release_barriers(Core& core);

}  // namespace vgpu::exec
