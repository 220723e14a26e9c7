// The barriers of a block (PTX ISA 9.7.13.1, bar and barrier; 9.7.13.3, barrier.cluster). Waiting threads are
// parked paths (divergence.hpp); this file counts arrivals and releases the paths.
//
// Arrivals are counted as in the manual: a warp that arrives as a whole counts as 32 threads however many it
// has, a part of a warp counts its lanes. Barriers do not wait for threads that have exited.
#pragma once

#include <cstdint>

#include "vgpu/state/arrivals.hpp"
#include "vgpu/state/form.hpp"

namespace vgpu::exec {

struct Core;
struct Warp;
struct Path;

/// The reduction that bar.red computes over the predicates of all threads.
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

/// Releases the threads at every barrier whose expected threads have all arrived; false if there is none.
bool release_barriers(Core& core);

}  // namespace vgpu::exec
