// Threads that wait for each other by looking at memory again and again: locks, flags, grid barriers. On a
// GPU all resident warps make progress at once; here they run one after another, so one that waits in a loop
// has to step aside. It is told by what it does: a load that must see other threads' writes, or an atomic
// operation, that gives the same values over and over. Then the next path, the next warp, and at last the
// next block gets its turn, always in the same order: the result depends on nothing but the program.
#pragma once

#include "vgpu/state/form.hpp"
#include "vgpu/state/warp.hpp"

namespace vgpu::exec::control {

/// Follows a load or an atomic operation: Decoded::a is the result's register, `option` its Lane (b32, b64 or
/// predicate), `memo` the number among the program's polls.
const Decoded* poll(Warp& warp, const Decoded& d);
/// nanosleep: steps aside at once.
const Decoded* pause(Warp& warp, const Decoded& d);

}  // namespace vgpu::exec::control
