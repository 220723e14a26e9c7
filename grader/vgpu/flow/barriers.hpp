// The barriers of a block (PTX ISA 9.7.13.1, bar and barrier; 9.7.13.3, barrier.cluster). Threads that wait
// are parked paths (divergence.hpp); here is what they wait for, and who has arrived without waiting.
//
// Arrivals count as the manual says: a warp that arrives as a whole counts as 32 threads however many it has,
// and a part of a warp by its lanes. Threads that have exited are not waited for.
#pragma once

#include <cstdint>

#include "vgpu/state/arrivals.hpp"
#include "vgpu/state/form.hpp"

namespace vgpu::exec {

struct Core;
struct Warp;
struct Path;

/// What bar.red computes of all threads' predicates.
enum class BarrierReduction : std::uint8_t { none, popc, all, any };

/// Decoded::option of barriers.
struct BarrierOption {
  bool is_aligned = false;
  BarrierReduction reduction = BarrierReduction::none;
  bool negates_predicate = false;

  constexpr std::uint8_t packed() const {
    return static_cast<std::uint8_t>((is_aligned ? 1U : 0U) | static_cast<unsigned>(reduction) << 1U |
                                     (negates_predicate ? kNegatedOperand : 0U));
  }
  static constexpr BarrierOption of(const Decoded& d) {
    return {(d.option & 1U) != 0, static_cast<BarrierReduction>(option_without_negation(d) >> 1U),
            negation_of(d) != 0};
  }
};

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
