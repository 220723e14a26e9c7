// Handlers of control flow: branches, joins, ends, guards, traps. Shared by all instruction sets.
#pragma once

#include "vgpu/state/warp.hpp"

namespace vgpu::exec::control {

const Decoded* branch(Warp& warp, const Decoded& d);       ///< @%p bra
const Decoded* jump(Warp& warp, const Decoded& d);         ///< bra
const Decoded* branch_list(Warp& warp, const Decoded& d);  ///< brx.idx
const Decoded* skip(Warp& warp,
                    const Decoded& d);              ///< lanes whose guard fails jump; not counted as a branch
const Decoded* join(Warp& warp, const Decoded& d);  ///< reconvergence point
const Decoded* leave(Warp& warp, const Decoded& d);  ///< exit, ret of a kernel
const Decoded* trap(Warp& warp, const Decoded& d);
const Decoded* no_operation(Warp& warp, const Decoded& d);
/// Memory is in order already: only the checkers use fences.
const Decoded* fence(Warp& warp, const Decoded& d);
/// Decoded::option of fences: the fence also orders accesses for other blocks.
inline constexpr std::uint8_t kDeviceScope = 1;
/// Decoded::option: the number of bytes to read, 4 or 8, or kUpperHalf for the upper 4 of 8.
const Decoded* read_clock(Warp& warp, const Decoded& d);
inline constexpr std::uint8_t kUpperHalf = 1;

/// Runs d.guarded for the lanes whose guard holds.
const Decoded* guard(Warp& warp, const Decoded& d);

}  // namespace vgpu::exec::control
