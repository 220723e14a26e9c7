#include "vgpu/flow/divergence.hpp"

#include <cassert>

namespace vgpu::exec {
namespace {

std::uint32_t new_join(Warp& warp, const Decoded* at) {
  if (warp.free_joins.empty()) {
    warp.free_joins.push_back(static_cast<std::uint32_t>(warp.joins.size()));
    warp.joins.emplace_back();
  }
  const std::uint32_t index = warp.free_joins.back();
  warp.free_joins.pop_back();
  const Join& around = warp.joins[warp.join];
  warp.joins[index] = {.at = at, .parent = warp.join, .call = around.call, .frame = around.frame};
  return index;
}

/// Adds a path that is at the join already, or that will run.
void add_path(Warp& warp, const Decoded* next, std::uint32_t lanes, std::uint32_t join) {
  if (next == warp.joins[join].at) {
    warp.joins[join].arrived |= lanes;
  } else {
    warp.ready.push_back({next, lanes, join});
    ++warp.joins[join].pending;
  }
}

/// Removes one path or inner join from the join's count; returns the number that are left. Every path is
/// counted in its join, so the number cannot be 0 before.
std::uint32_t one_less(Warp& warp, std::uint32_t index) {
  assert(warp.joins[index].pending != 0);
  return --warp.joins[index].pending;
}

/// The running path has left the join, and no other path is pending there. If lanes have arrived, they
/// continue; otherwise the enclosing join has one path fewer.
const Decoded* complete(Warp& warp, std::uint32_t index) {
  while (index != 0) {
    assert(warp.joins[index].pending == 0);
    const Join join = warp.joins[index];
    warp.joins[index].arrived = 0;
    warp.free_joins.push_back(index);
    if (join.arrived != 0) {
      warp.join = join.parent;
      warp.set_mask(join.arrived);
      return join.at;
    }
    // All lanes have ended: the enclosing join has one path fewer.
    if (one_less(warp, join.parent) != 0) return resume(warp);
    index = join.parent;
  }
  return nullptr;
}

}  // namespace

void start_paths(Warp& warp, std::uint32_t lanes, const Decoded* entry) {
  warp.live = lanes;
  warp.passed = 0;
  warp.ready.clear();
  warp.parked.clear();
  warp.free_joins.clear();
  warp.joins.assign(1, {.pending = 1});
  warp.join = 0;
  warp.yields = false;
  warp.tested = 0;
  warp.ready.push_back({entry, lanes, 0});
}

const Decoded* split(Warp& warp, std::uint32_t taken, const Decoded* target, const Decoded* fall_through,
                     const Decoded* join) {
  assert(taken != 0 && (taken & ~warp.mask) == 0 && taken != warp.mask);
  const std::uint32_t rest = warp.mask & ~taken;
  std::uint32_t index = warp.join;
  if (join != nullptr && join != warp.joins[index].at) {
    index = new_join(warp, join);
  } else {
    one_less(warp, index);
  }
  add_path(warp, target, taken, index);
  add_path(warp, fall_through, rest, index);
  return resume(warp);
}

const Decoded* arrive(Warp& warp, const Decoded& at) {
  Join& join = warp.joins[warp.join];
  if (join.at != &at) return &at + 1;
  join.arrived |= warp.mask;
  if (one_less(warp, warp.join) != 0) return resume(warp);
  // complete() returns the join point itself, at which all its lanes have met.
  const Decoded* next = complete(warp, warp.join);
  assert(next == &at);
  return next + 1;
}

const Decoded* retire(Warp& warp) {
  warp.live &= ~warp.mask;
  if (one_less(warp, warp.join) != 0) return resume(warp);
  return complete(warp, warp.join);
}

void enter_function(Warp& warp, const Decoded* at, std::uint32_t frame) {
  const std::uint32_t index = new_join(warp, at);
  warp.joins[index].pending = 1;
  warp.joins[index].call = index;
  warp.joins[index].frame = frame;
  warp.join = index;
}

const Decoded* leave_function(Warp& warp) {
  // The running path can be inside joins of the function's own branches. Its lanes skip them: the join of the
  // call collects all lanes that return.
  warp.joins[warp.joins[warp.join].call].arrived |= warp.mask;
  if (one_less(warp, warp.join) != 0) return resume(warp);
  return complete(warp, warp.join);
}

const Decoded* park(Warp& warp, const Decoded& at) {
  warp.parked.push_back({&at, warp.mask, warp.join});
  return resume(warp);
}

const Decoded* yield(Warp& warp, const Decoded* next) {
  warp.ready.insert(warp.ready.begin(), {next, warp.mask, warp.join});
  warp.yields = true;
  return nullptr;
}

void set_apart(Warp& warp, std::uint32_t lanes, const Decoded* next) {
  assert(lanes != 0 && (lanes & ~warp.mask) == 0 && lanes != warp.mask);
  warp.ready.push_back({next, lanes, warp.join});
  ++warp.joins[warp.join].pending;
  warp.set_mask(warp.mask & ~lanes);
}

bool part_waiting_lanes(Warp& warp) {
  bool parted = false;
  for (std::uint32_t index = 1; index < warp.joins.size(); ++index) {
    Join& join = warp.joins[index];
    if (join.arrived == 0) continue;
    const bool is_call = join.call == index;  // the return point itself has to run
    warp.ready.push_back({is_call ? join.at : join.at + 1, join.arrived, join.parent});
    ++warp.joins[join.parent].pending;
    join.arrived = 0;
    parted = true;
  }
  return parted;
}

const Decoded* resume(Warp& warp) {
  if (warp.ready.empty()) return nullptr;
  const Path path = warp.ready.back();
  warp.ready.pop_back();
  warp.join = path.join;
  warp.set_mask(path.mask);
  return path.next;
}

}  // namespace vgpu::exec
