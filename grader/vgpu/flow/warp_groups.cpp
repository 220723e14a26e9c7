#include "vgpu/flow/warp_groups.hpp"

#include <array>
#include <cassert>
#include <utility>

#include <fmt/format.h>

#include "vgpu/check/block_checker.hpp"
#include "vgpu/flow/control.hpp"
#include "vgpu/flow/divergence.hpp"
#include "vgpu/flow/waiting.hpp"

namespace vgpu::exec {
namespace {

using u32 = std::uint32_t;

const u32* masks_of(const Warp& warp, const Decoded& d) {
  return reinterpret_cast<const u32*>(warp.file + d.guard);
}

/// The mask that a parked group names; all its lanes name the same live lanes.
u32 mask_of(const Warp& warp, const Path& path) {
  return masks_of(warp, *path.next)[std::countr_zero(path.mask)];
}

bool is_warp_barrier(const Decoded& d) { return d.guarded == control::no_operation; }

/// Whether lanes at one instruction can meet lanes at the other: any two bar.warp.sync match.
bool may_meet(const Decoded& a, const Decoded& b) {
  return &a == &b || (control::waits_for_lanes(a) && control::waits_for_lanes(b) && is_warp_barrier(a) &&
                      is_warp_barrier(b));
}

/// Those of `lanes` that name the same live lanes as the first of them. Mask bits of lanes that have ended or
/// do not exist are ignored.
u32 first_group(const Warp& warp, const u32* masks, u32 lanes) {
  const u32 named = masks[std::countr_zero(lanes)] & warp.live;
  const auto names_same = [&](int lane) { return (masks[lane] & warp.live) == named; };
  u32 group = 0;
  // In most programs these are exactly the named lanes.
  for (u32 rest = lanes & named; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    group |= (names_same(lane) ? 1U : 0U) << lane;
  }
  if (group == named && group != 0) return group;  // a mask without live lanes names not even its own lane
  for (u32 rest = lanes & ~named; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    group |= (names_same(lane) ? 1U : 0U) << lane;
  }
  return group;
}

/// Records that a complete group is about to run the instruction.
void announce(Warp& warp, const Decoded& d, u32 group) {
  for (const Path& path : warp.parked) {
    if (path.next == &d && !is_warp_barrier(d)) warp.passed |= group & mask_of(warp, path);
  }
  if (warp.core->checker != nullptr) warp.core->checker->warp_sync(warp, group);
}

/// The active lanes, a complete group, run the instruction.
const Decoded* run_group(Warp& warp, const Decoded& d) {
  announce(warp, d, warp.mask);
  return d.guarded(warp, d);
}

/// "lanes 0 to 15, 20"
std::string lanes_text(u32 lanes) {
  std::string text;
  while (lanes != 0) {
    const int first = std::countr_zero(lanes);
    const int count = std::countr_one(lanes >> static_cast<unsigned>(first));
    const bool is_one = count == 1;
    text += (text.empty() ? std::has_single_bit(lanes) ? "lane " : "lanes " : ", ") +
            (is_one ? fmt::format("{}", first) : fmt::format("{} to {}", first, first + count - 1));
    lanes &= first + count == kWarpLanes ? 0 : ~u32{0} << static_cast<unsigned>(first + count);
  }
  return text;
}

const Decoded* refuse_foreign_mask(Warp& warp, const Decoded& d, u32 lanes) {
  const int lane = std::countr_zero(lanes);
  raise(warp, d, FaultKind::missing_lanes, lane, static_cast<u32>(std::popcount(lanes)));
  warp.core->fault.detail =
      fmt::format("lane {} is not in the mask {:#010x} that it names", lane, masks_of(warp, d)[lane]);
  return nullptr;
}

/// Several groups: incomplete groups are parked, then the complete ones run and continue together.
const Decoded* gather_several(Warp& warp, const Decoded& d) {
  const u32* masks = masks_of(warp, d);
  std::array<u32, kWarpLanes> groups;
  std::size_t count = 0;
  u32 complete = 0;
  std::uint32_t parked = 0;
  for (u32 rest = warp.mask; rest != 0;) {
    const u32 named = masks[std::countr_zero(rest)] & warp.live;
    const u32 group = first_group(warp, masks, rest);
    rest &= ~group;
    if ((group & ~named) != 0) return refuse_foreign_mask(warp, d, group & ~named);
    if (group == named) {
      complete |= groups[count++] = group;
    } else {
      warp.parked.push_back({&d, group, warp.join});
      ++parked;
    }
  }
  // The running path becomes the parked paths and one path that continues, if any group is complete.
  warp.joins[warp.join].pending += parked;
  if (complete == 0) {
    --warp.joins[warp.join].pending;
    return resume(warp);
  }
  Core& core = *warp.core;
  const bool at_once = control::runs_groups_together(d);
  for (std::size_t i = 0; i < count; ++i) {
    announce(warp, d, groups[i]);
    if (at_once) continue;
    warp.set_mask(groups[i]);
    d.guarded(warp, d);
  }
  if (warp.mask != complete) warp.set_mask(complete);
  if (at_once) return d.guarded(warp, d);
  if (core.detour == nullptr) return &d + 1;
  core.detour = &d + 1;  // for all groups together
  return nullptr;
}

/// Makes a path ready after its lanes have met. Paths that were one before continue as one.
void release(Warp& warp, const Path& path) {
  for (Path& other : warp.ready) {
    if (other.next != path.next || other.join != path.join) continue;
    assert((other.mask & path.mask) == 0 && warp.joins[path.join].pending > 1);  // both paths are counted
    other.mask |= path.mask;
    --warp.joins[path.join].pending;
    return;
  }
  warp.ready.push_back(path);
}

/// All parked lanes that can meet those of `leader` and name the same live lanes.
u32 group_of(const Warp& warp, const Path& leader) {
  const u32 named = mask_of(warp, leader) & warp.live;
  u32 group = 0;
  for (const Path& path : warp.parked) {
    const bool is_same = may_meet(*path.next, *leader.next) && (mask_of(warp, path) & warp.live) == named;
    if (is_same) group |= path.mask;
  }
  return group;
}

/// The lanes for which a parked group waits.
u32 missing(const Warp& warp, const Path& path) {
  return mask_of(warp, path) & warp.live & ~group_of(warp, path);
}

}  // namespace

namespace control {

const Decoded* gather_groups(Warp& warp, const Decoded& d) {
  const u32* masks = masks_of(warp, d);
  const u32 mask = masks[warp.first_lane()];
  u32 others = 0;
  for (int lane = 0; lane < kWarpLanes; ++lane) others |= (masks[lane] ^ mask) & warp.on[lane];
  const bool is_one_group = others == 0 && (mask & warp.live) == warp.mask;
  return is_one_group ? run_group(warp, d) : gather_several(warp, d);
}

bool waits_for_lanes(const Decoded& d) { return d.run == gather_groups; }

}  // namespace control

bool meet_in_groups(Warp& warp) {
  bool met = false;
  for (std::size_t first = 0; first < warp.parked.size();) {
    const Path leader = warp.parked[first];
    if (!control::waits_for_lanes(*leader.next) || missing(warp, leader) != 0) {
      ++first;
      continue;
    }
    const u32 together = group_of(warp, leader);
    // Lanes for which the group waited passed the instruction with another mask and have ended since.
    if ((mask_of(warp, leader) & ~together & warp.passed) != 0)
      return raise_missing_lanes(warp, leader), false;
    std::vector<Path> others;
    for (const Path& path : warp.parked) {
      if ((path.mask & together) == 0) {
        others.push_back(path);
      } else {
        release(warp, {path.next + 1, path.mask, path.join});
      }
    }
    warp.parked = std::move(others);
    warp.passed &= ~together;
    warp.set_mask(together);
    run_group(warp, *leader.next);
    // The lanes are ready to run, in the loop that follows values if the instruction asks for it.
    warp.core->follows_values |= std::exchange(warp.core->detour, nullptr) != nullptr;
    met = true;
  }
  return met;
}

bool is_passed_by(const Warp& warp, const Path& path) {
  return control::waits_for_lanes(*path.next) && (mask_of(warp, path) & warp.passed) != 0;
}

const Path* waiting_group(Warp& warp) {
  const Path* found = nullptr;
  for (const Path& path : warp.parked) {
    if (is_passed_by(warp, path)) return &path;
    if (found == nullptr && control::waits_for_lanes(*path.next)) found = &path;
  }
  return found;
}

void raise_missing_lanes(Warp& warp, const Path& path) {
  const u32 mask = mask_of(warp, path);
  raise(warp, *path.next, FaultKind::missing_lanes, std::countr_zero(path.mask),
        static_cast<u32>(std::popcount(path.mask)));
  const u32 passed = mask & warp.passed;
  warp.core->fault.detail = fmt::format("the mask {:#010x} names {}, {}", mask,
                                        lanes_text(passed != 0 ? passed : missing(warp, path)),
                                        passed != 0 ? "which passed another mask" : "which do not take part");
  add_waiting(warp);
}

const Decoded* raise_part_of_warp(Warp& warp, const Decoded& d) {
  const u32 lanes = warp.mask;
  raise(warp, d, FaultKind::missing_lanes, warp.first_lane(), warp.active);
  warp.core->fault.detail = fmt::format("all 32 lanes of a warp must take part; {} {} missing",
                                        lanes_text(~lanes), std::has_single_bit(~lanes) ? "is" : "are");
  return nullptr;
}

}  // namespace vgpu::exec
