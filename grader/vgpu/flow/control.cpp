#include "vgpu/flow/control.hpp"

#include "vgpu/check/block_checker.hpp"
#include "vgpu/cost/block_clock.hpp"
#include "vgpu/flow/divergence.hpp"

namespace vgpu::exec::control {
namespace {

std::uint32_t guarded_lanes(Warp& warp, const Decoded& d) {
  return warp.mask & (warp.predicate(d.guard) ^ (d.guard_negated ? kFullMask : 0));
}

const Decoded* join_of(const Decoded& d) { return d.join == 0 ? nullptr : &d + d.join; }

const Decoded* write_time(Warp& warp, const Decoded& d, std::uint64_t time) {
  const auto part = static_cast<ClockPart>(d.option);
  auto* low = reinterpret_cast<std::uint32_t*>(warp.file + d.dst);
  auto* wide = reinterpret_cast<std::uint64_t*>(warp.file + d.dst);
  for_active(warp, [&](int lane) {
    if (part == ClockPart::whole) {
      wide[lane] = time;
    } else {
      low[lane] = static_cast<std::uint32_t>(part == ClockPart::upper_half ? time >> 32U : time);
    }
  });
  return &d + 1;
}

}  // namespace

const Decoded* branch(Warp& warp, const Decoded& d) {
  const std::uint32_t taken = guarded_lanes(warp, d);
  if (taken == warp.mask) return &d + d.target;
  if (taken == 0) return &d + 1;
  warp.core->tally_of(d).diverged += 1;
  // Both ways lead to the next instruction: the branch counts as diverged but needs no join.
  if (d.target == 1) return &d + 1;
  return split(warp, taken, &d + d.target, &d + 1, join_of(d));
}

const Decoded* jump(Warp& /*warp*/, const Decoded& d) { return &d + d.target; }

const Decoded* branch_list(Warp& warp, const Decoded& d) {
  const auto& targets = warp.core->program().list_of(d);
  const auto* index = reinterpret_cast<const std::uint32_t*>(warp.file + d.a);
  const std::uint32_t first = index[warp.first_lane()];
  // The manual leaves the behaviour undefined (PTX ISA, "brx.idx").
  if (first >= targets.size()) {
    return raise(warp, d, FaultKind::out_of_bounds, warp.first_lane(), 1);
  }
  std::uint32_t same = 0;
  for (int lane = 0; lane < kWarpLanes; ++lane) same |= (index[lane] == first ? 1U : 0U) << lane;
  same &= warp.mask;
  const Decoded* target = warp.core->program().code.data() + targets[first];
  // One target at a time: the other lanes return to this instruction.
  if (same == warp.mask) return target;
  warp.core->tally_of(d).diverged += 1;
  return split(warp, same, target, &d, join_of(d));
}

const Decoded* skip(Warp& warp, const Decoded& d) {
  const std::uint32_t around = warp.mask & ~guarded_lanes(warp, d);
  if (around == warp.mask) return &d + d.target;
  if (around == 0) return &d + 1;
  return split(warp, around, &d + d.target, &d + 1, join_of(d));
}

const Decoded* join(Warp& warp, const Decoded& d) { return arrive(warp, d); }

const Decoded* leave(Warp& warp, const Decoded& /*d*/) { return retire(warp); }

const Decoded* trap(Warp& warp, const Decoded& d) {
  return raise(warp, d, FaultKind::trap, warp.first_lane(), warp.active);
}

const Decoded* no_operation(Warp& /*warp*/, const Decoded& d) { return &d + 1; }

const Decoded* fence(Warp& warp, const Decoded& d) {
  if (warp.core->checker != nullptr) warp.core->checker->fence(warp, fence_scope(d) == FenceScope::device);
  return &d + 1;
}

const Decoded* read_clock(Warp& warp, const Decoded& d) {
  return write_time(warp, d, warp.core->launch->clock->clocks(*warp.core));
}

const Decoded* read_timer(Warp& warp, const Decoded& d) {
  return write_time(warp, d, warp.core->launch->clock->nanoseconds(*warp.core));
}

const Decoded* guard(Warp& warp, const Decoded& d) {
  const std::uint32_t lanes = guarded_lanes(warp, d);
  const std::uint32_t mask = warp.mask;
  if (lanes == mask) return d.guarded(warp, d);
  // The warp issues the instruction; the lanes whose guard fails do not execute it.
  warp.core->tally_of(d).threads -= static_cast<std::uint32_t>(std::popcount(mask & ~lanes));
  if (lanes == 0) return &d + 1;
  warp.set_mask(lanes);
  const Decoded* next = d.guarded(warp, d);
  warp.set_mask(mask);
  return next;
}

}  // namespace vgpu::exec::control
