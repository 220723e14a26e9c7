// Lanes that meet at instructions for several lanes of a warp: shuffles, votes, warp barriers. Lanes that
// name the same member mask are a group. It runs the instruction when all of its live lanes have come, on one
// path or several, and apart from other groups (the tiles of cooperative groups come together and stay
// apart). Covered by tests/vgpu/warp_wide_test.cpp and the random kernels of tests/fuzz.
#pragma once

#include "vgpu/state/warp.hpp"

namespace vgpu::exec {

namespace control {

/// The bit of Decoded::option that marks a handler which observes each lane's mask itself, so that one call
/// can run several groups. kNegatedOperand can be set as well.
inline constexpr std::uint8_t kRunsGroupsTogether = 0x40;
constexpr bool runs_groups_together(const Decoded& d) { return (d.option & kRunsGroupsTogether) != 0; }

/// Runs d.guarded for each group of the running path that is complete; the other lanes wait. The member mask
/// is in register d.guard. A fault if a lane is not in the mask that it names.
const Decoded* gather_groups(Warp& warp, const Decoded& d);

/// Whether the lanes of a path parked here wait for other lanes of their warp.
bool waits_for_lanes(const Decoded& d);

}  // namespace control

/// Lets groups that have come on several paths run. False if none is complete, and after a fault.
bool meet_in_groups(Warp& warp);

/// The path that waits in vain, if lanes of this warp do: first one that waits for lanes which came, but with
/// another mask. nullptr if none waits for lanes.
const Path* waiting_group(Warp& warp);
/// Whether it waits for lanes that came to the same instruction and named another mask.
bool is_passed_by(const Warp& warp, const Path& path);

/// A fault: an instruction for the whole warp is run by a part of it.
const Decoded* raise_part_of_warp(Warp& warp, const Decoded& d);

/// A fault at which `path` is the group that lacks lanes.
void raise_missing_lanes(Warp& warp, const Path& path);

}  // namespace vgpu::exec
