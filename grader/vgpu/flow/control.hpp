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
/// Decoded::option of fences.
enum class FenceScope : std::uint8_t { block, device };
constexpr FenceScope fence_scope(const Decoded& d) { return static_cast<FenceScope>(d.option); }

/// d.option: the ClockPart to read. Clocks since the block began, and the same time in nanoseconds.
const Decoded* read_clock(Warp& warp, const Decoded& d);
const Decoded* read_timer(Warp& warp, const Decoded& d);
enum class ClockPart : std::uint8_t { lower_half, upper_half, whole };

/// Runs d.guarded for the lanes whose guard holds.
const Decoded* guard(Warp& warp, const Decoded& d);

}  // namespace vgpu::exec::control
