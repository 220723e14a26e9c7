// Instructions at which several lanes of a warp meet: shuffles, votes, warp barriers. Lanes that name the
// same member mask form a group. A group runs the instruction when all its live lanes have reached it, on one
// or several paths, independently of other groups (for example the tiles of cooperative groups). Covered by
// tests/vgpu/warp_wide_test.cpp and the random kernels of tests/fuzz.
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

/// Runs complete groups whose lanes came on several paths. False if no group is complete, and after a fault.
bool meet_in_groups(Warp& warp);

/// A parked path that waits for other lanes of the warp, preferably for lanes that came with another mask.
/// nullptr if no path waits for lanes.
const Path* waiting_group(Warp& warp);
/// Whether the path waits for lanes that came to the same instruction and named another mask.
bool is_passed_by(const Warp& warp, const Path& path);

/// Raises a fault: only some lanes of the warp reach an instruction that needs all of them.
const Decoded* raise_part_of_warp(Warp& warp, const Decoded& d);

/// Raises a fault about the group of `path`, which lacks lanes.
void raise_missing_lanes(Warp& warp, const Path& path);

}  // namespace vgpu::exec
