// Threads that wait for each other by polling memory: locks, flags, grid barriers. On a GPU all resident
// warps make progress at the same time; here they run one after another, so a warp that waits in a loop has
// to yield. Such a loop is recognised by a load that must see other threads' writes, or an atomic operation,
// that returns the same values repeatedly. Then the next path, the next warp, and finally the next block get
// their turn, always in the same order: the result depends on the program only.
#pragma once

#include "vgpu/state/form.hpp"
#include "vgpu/state/warp.hpp"

namespace vgpu::exec::control {

/// Follows a load or an atomic operation: Decoded::a is the result's register, `option` its Lane (b32, b64 or
/// predicate), `memo` the number among the program's polls.
const Decoded* poll(Warp& warp, const Decoded& d);
/// nanosleep: yields immediately.
const Decoded* pause(Warp& warp, const Decoded& d);

}  // namespace vgpu::exec::control
