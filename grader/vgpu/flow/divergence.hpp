// Divergence and reconvergence of the lanes of a warp. A branch that splits a path creates two paths and,
// unless they meet at the join of the path itself, a new join. A call creates a join too: lanes that have
// returned wait there for the others, so that recursion of different depths reconverges. Paths run one at a
// time; a path that waits (at a barrier, or for other lanes at a warp-wide instruction) is parked while its
// siblings run.
//
// Functions that return an instruction return the warp's next one, nullptr if no path can run.
#pragma once

#include "vgpu/state/warp.hpp"

namespace vgpu::exec {

/// All lanes in `lanes` start at `entry`.
void start_paths(Warp& warp, std::uint32_t lanes, const Decoded* entry);

/// Splits the running path: `taken` (neither none nor all of its lanes) go to `target`, the rest to
/// `fall_through`; they meet at `join`, nullptr if they meet only at the end.
const Decoded* split(Warp& warp, std::uint32_t taken, const Decoded* target, const Decoded* fall_through,
                     const Decoded* join);

/// The running path has reached the join point `at`.
const Decoded* arrive(Warp& warp, const Decoded& at);

/// The running path's lanes have ended.
const Decoded* retire(Warp& warp);

/// The running path calls a function whose frame starts at `frame` and whose lanes meet at `at` when they
/// return.
void enter_function(Warp& warp, const Decoded* at, std::uint32_t frame);

/// The running path's lanes return from their function. When all lanes of the call have returned, they
/// continue after it.
const Decoded* leave_function(Warp& warp);

/// The running path waits at `at` with all its lanes.
const Decoded* park(Warp& warp, const Decoded& at);

/// Takes the next runnable path.
const Decoded* resume(Warp& warp);

/// The lanes `lanes` of the running path become a path of their own, which runs later, from `next`.
void set_apart(Warp& warp, std::uint32_t lanes, const Decoded* next);

/// Lanes that wait at joins continue without the others; false if no lanes wait there. For warps in which no
/// other path can make progress: CUDA does not require the threads of a warp to meet (independent thread
/// scheduling).
bool part_waiting_lanes(Warp& warp);

/// The running path continues at `next` after the other paths and the other warps have had their turn.
const Decoded* yield(Warp& warp, const Decoded* next);

}  // namespace vgpu::exec
