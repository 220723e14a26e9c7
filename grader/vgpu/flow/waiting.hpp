// Facts for the report of a block that cannot continue: which threads wait, and where.
#pragma once

#include "vgpu/state/warp.hpp"

namespace vgpu::exec {

/// The threads of `lanes`, which wait at the instruction `at`.
WaitingThreads waiting_threads(Warp& warp, const Decoded& at, std::uint32_t lanes, bool at_barrier);

/// Records in the fault where each waiting lane of the warp waits.
void add_waiting(Warp& warp);
/// Records in the fault how many threads of the block wait, and where: the threads of one line together. None
/// of them runs.
void add_all_waiting(Core& core);

}  // namespace vgpu::exec
