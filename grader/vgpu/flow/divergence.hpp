// How the lanes of a warp part and meet again. A branch that splits a path makes two paths and, unless they
// meet where the path's own lanes do, a join. A call is a join too: lanes that return wait there for those
// that have not, so that recursion of different depths comes together again. Paths run one at a time; one
// that waits (at a barrier, or for other lanes at a warp-wide instruction) is parked while its siblings run.
//
// All functions return what the warp runs next, nullptr if no path can run.
#pragma once

#include "vgpu/state/warp.hpp"

namespace vgpu::exec {

/// All lanes in `lanes` start at `entry`.
void start_paths(Warp& warp, std::uint32_t lanes, const Decoded* entry);

/// Splits the running path: `taken` (neither none nor all of its lanes) go to `target`, the rest to
/// `fall_through`; they meet at `join`, nullptr if only at the end.
const Decoded* split(Warp& warp, std::uint32_t taken, const Decoded* target, const Decoded* fall_through,
                     const Decoded* join);

/// The running path has reached the join point `at`.
const Decoded* arrive(Warp& warp, const Decoded& at);

/// The running path's lanes have ended.
const Decoded* retire(Warp& warp);

/// The running path calls a function whose frame starts at `frame` and whose lanes meet at `at` when they
/// return.
void enter_function(Warp& warp, const Decoded* at, std::uint32_t frame);

/// The running path's lanes return from their function. When all of its lanes have, they go to where it was
/// called.
const Decoded* leave_function(Warp& warp);

/// The running path waits at `at` with all its lanes.
const Decoded* park(Warp& warp, const Decoded& at);

/// Takes the next runnable path.
const Decoded* resume(Warp& warp);

/// The lanes `lanes` of the running path become a path of their own, which runs later, from `next`.
void set_apart(Warp& warp, std::uint32_t lanes, const Decoded* next);

/// Lanes that wait at joins for others go on without them; false if there are none. For warps in which nobody
/// else can make progress: threads of a warp need not meet (independent thread scheduling).
bool part_waiting_lanes(Warp& warp);

/// The running path goes on at `next` when other paths and other warps have had their turn.
const Decoded* yield(Warp& warp, const Decoded* next);

}  // namespace vgpu::exec
