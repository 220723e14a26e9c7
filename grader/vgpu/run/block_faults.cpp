// Faults of a block that cannot continue, with the places where its threads wait.
#include <algorithm>
#include <cassert>

#include "vgpu/flow/barriers.hpp"
#include "vgpu/flow/waiting.hpp"
#include "vgpu/flow/warp_groups.hpp"
#include "vgpu/run/block.hpp"

namespace vgpu::exec {
/// Raises a fault: only some lanes of a warp wait at a barrier of the block.
void BlockRunner::fail_divergent_barrier(Warp& warp) {
  const auto path = std::find_if(warp.parked.begin(), warp.parked.end(),
                                 [&](const Path& p) { return control::waits_for_block(*p.next); });
  assert(path != warp.parked.end());  // the callers have seen such a path
  raise(warp, *path->next, FaultKind::divergent_barrier, std::countr_zero(path->mask),
        static_cast<std::uint32_t>(std::popcount(path->mask)));
  add_waiting(warp);
}

void BlockRunner::fail_deadlock() {
  for (Warp& warp : core_.warps) {
    if (warp.live == 0) continue;
    if (const Path* group = waiting_group(warp)) return raise_missing_lanes(warp, *group);
    std::uint32_t lanes = 0;
    for (const Path& path : warp.parked) lanes |= path.mask;
    if (lanes != warp.live) return fail_divergent_barrier(warp);
  }
  for (Warp& warp : core_.warps) {
    if (warp.parked.empty()) continue;
    const Path& path = warp.parked.front();
    raise(warp, *path.next, FaultKind::barrier_deadlock, std::countr_zero(path.mask), 0);
    return add_all_waiting(core_);
  }
}

}  // namespace vgpu::exec
