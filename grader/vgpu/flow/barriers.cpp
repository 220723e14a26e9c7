#include "vgpu/flow/barriers.hpp"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "vgpu/check/block_checker.hpp"
#include "vgpu/flow/divergence.hpp"
#include "vgpu/flow/waiting.hpp"
#include "vgpu/state/form.hpp"
#include "vgpu/state/warp.hpp"

namespace vgpu::exec {
namespace {

const std::uint32_t* values(const Warp& warp, std::uint32_t offset) {
  return reinterpret_cast<const std::uint32_t*>(warp.file + offset);
}

std::uint32_t number_of(const Warp& warp, const Path& path) {
  // choose_barrier() has split paths whose lanes name different barriers, so all lanes name the number of the
  // first.
  return values(warp, path.next->a)[std::countr_zero(path.mask)];
}

/// The number of threads that the barrier expects, 0 for all threads of the block.
std::uint32_t expected_by(const Warp& warp, const Path& path) {
  return path.next->b == kNowhere ? 0 : values(warp, path.next->b)[std::countr_zero(path.mask)];
}

bool waits_at(const Warp& warp, const Path& path, std::uint32_t number) {
  return control::waits_for_block(*path.next) && number_of(warp, path) == number;
}

/// The number of threads that an arrival of `lanes` counts as.
std::uint32_t threads_in(const Warp& warp, std::uint32_t lanes) {
  // Barriers count warps as 32 threads each, even where a warp has fewer live threads: expected numbers are
  // multiples of the warp size (PTX ISA, "bar, barrier").
  return lanes == warp.live ? kWarpLanes : static_cast<std::uint32_t>(std::popcount(lanes));
}

bool is_among(std::uint32_t warps, const Warp& warp) { return (warps >> warp.index & 1U) != 0; }

template <class Visit>
void for_waiting(Core& core, std::uint32_t warps, std::uint32_t number, Visit visit) {
  for (Warp& warp : core.warps) {
    if (!is_among(warps, warp)) continue;
    for (const Path& path : warp.parked) {
      if (waits_at(warp, path, number)) visit(warp, path);
    }
  }
}

/// One bit per barrier at which threads wait.
std::uint32_t waited_for(const Core& core) {
  static_assert(kClusterBarrier < 32);
  std::uint32_t numbers = 0;
  for (const Warp& warp : core.warps) {
    for (const Path& path : warp.parked) {
      if (!control::waits_for_block(*path.next)) continue;
      assert(number_of(warp, path) <= kClusterBarrier);  // choose_barrier() refused other numbers
      numbers |= 1U << number_of(warp, path);
    }
  }
  return numbers;
}

struct Waiting {
  std::uint32_t threads = 0;
  std::uint32_t expected = 0;
  std::uint32_t warps = 0;  ///< one bit per warp
};

/// The first warps that fill the barrier, or all that wait if they are too few. A barrier for fewer threads
/// than wait is filled several times: it orders only the warps of one filling, and a program must not rely on
/// which warps those are.
Waiting waiting_at(const Core& core, std::uint32_t number) {
  Waiting waiting;
  std::uint32_t all = 0;
  const std::uint32_t arrived = core.arrivals[number];
  for (const Warp& warp : core.warps) {
    // Warps that have ended are not expected any more.
    if (warp.live == 0) continue;
    all += kWarpLanes;
    if (waiting.expected != 0 && waiting.threads + arrived >= waiting.expected) continue;
    std::uint32_t lanes = 0;
    for (const Path& path : warp.parked) {
      if (!waits_at(warp, path, number)) continue;
      lanes |= path.mask;
      if (waiting.expected == 0) waiting.expected = expected_by(warp, path);
    }
    if (lanes == 0) continue;
    waiting.threads += threads_in(warp, lanes);
    waiting.warps |= 1U << warp.index;
  }
  if (waiting.expected == 0) waiting.expected = all;
  return waiting;
}

/// The lanes of a path for which bar.red's predicate holds.
std::uint32_t votes_of(Warp& warp, const Path& path) {
  return path.mask & (warp.predicate(path.next->c) ^ negation_of(*path.next));
}

void write_result(Warp& warp, const Path& path, std::uint32_t threads, std::uint32_t votes) {
  const Decoded& d = *path.next;
  if (BarrierOption::of(d).reduction == BarrierReduction::popc) {
    auto* counts = reinterpret_cast<std::uint32_t*>(warp.file + d.dst);
    for (std::uint32_t rest = path.mask; rest != 0; rest &= rest - 1) counts[std::countr_zero(rest)] = votes;
    return;
  }
  const bool holds = BarrierOption::of(d).reduction == BarrierReduction::all ? votes == threads : votes != 0;
  std::uint32_t& predicate = warp.predicate(d.dst);
  predicate = (predicate & ~path.mask) | (holds ? path.mask : 0);
}

void reduce(Core& core, std::uint32_t warps, std::uint32_t number) {
  std::uint32_t threads = 0;
  std::uint32_t votes = 0;
  for_waiting(core, warps, number, [&](Warp& warp, const Path& path) {
    if (BarrierOption::of(*path.next).reduction == BarrierReduction::none) return;
    threads += static_cast<std::uint32_t>(std::popcount(path.mask));
    votes += static_cast<std::uint32_t>(std::popcount(votes_of(warp, path)));
  });
  for_waiting(core, warps, number, [&](Warp& warp, const Path& path) {
    if (BarrierOption::of(*path.next).reduction != BarrierReduction::none)
      write_result(warp, path, threads, votes);
  });
}

/// __syncthreads() may be in a branch only if all threads of the block take it (CUDA C++ Programming Guide,
/// Synchronization Functions). PTX itself counts arrivals at a barrier, wherever they come from.
void report_parted_barriers(Core& core, std::uint32_t warps) {
  constexpr std::uint32_t kOfBlock = 0;
  const Warp* first = nullptr;
  const Decoded* of_first = nullptr;
  for_waiting(core, warps, kOfBlock, [&](const Warp& warp, const Path& path) {
    const Decoded& d = *path.next;
    if (!BarrierOption::of(d).is_aligned || d.b != kNowhere) return;
    if (of_first == nullptr) first = &warp, of_first = &d;
    if (of_first != &d) core.checker->parted_barriers(*first, *of_first, warp, d);
  });
}

/// Reports to the checker which warps the barrier orders: those with threads that waited.
void report_to_checker(Core& core, std::uint32_t warps, std::uint32_t number) {
  if (number == 0) report_parted_barriers(core, warps);
  bool everybody = true;
  for (const Warp& warp : core.warps) {
    std::uint32_t lanes = 0;
    for (const Path& path : warp.parked) lanes |= waits_at(warp, path, number) ? path.mask : 0;
    everybody &= lanes == warp.live && (lanes == 0 || is_among(warps, warp));
  }
  core.checker->barrier(warps, everybody, number);
}

void release(Core& core, std::uint32_t warps, std::uint32_t number) {
  if (core.checker != nullptr) report_to_checker(core, warps, number);
  reduce(core, warps, number);
  for (Warp& warp : core.warps) {
    if (!is_among(warps, warp)) continue;
    // `ready` runs its last path first. In reverse order, the path that arrived first continues first.
    for (auto path = warp.parked.rbegin(); path != warp.parked.rend(); ++path) {
      if (waits_at(warp, *path, number)) warp.ready.push_back({path->next + 1, path->mask, path->join});
    }
    std::erase_if(warp.parked, [&](const Path& path) { return waits_at(warp, path, number); });
  }
}

/// Lanes of the running path that name another barrier than its first lane become a path of their own. False
/// after a fault.
bool choose_barrier(Warp& warp, const Decoded& d) {
  const std::uint32_t* numbers = values(warp, d.a);
  const std::uint32_t number = numbers[warp.first_lane()];
  std::uint32_t differs = 0;
  for (int lane = 0; lane < kWarpLanes; ++lane) differs |= numbers[lane] ^ number;
  std::uint32_t others = 0;
  for (std::uint32_t rest = differs == 0 ? 0 : warp.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    others |= (numbers[lane] != number ? 1U : 0U) << lane;
  }
  if (others != 0) set_apart(warp, others, &d);
  const std::uint32_t threads = d.b == kNowhere ? 0 : values(warp, d.b)[warp.first_lane()];
  if (number <= kClusterBarrier && threads % kWarpLanes == 0) return true;
  raise(warp, d, FaultKind::invalid_barrier, warp.first_lane(), warp.active);
  warp.core->fault.detail =
      number > kClusterBarrier
          ? fmt::format("there is no barrier {}: a block has {}", number, kNamedBarriers)
          : fmt::format("it waits for {} threads, which is not a multiple of {}", threads, kWarpLanes);
  return false;
}

/// PTX ISA, "bar, barrier": barrier.red must not be mixed with barrier.sync at the same barrier; what happens
/// then is unpredictable. True after a fault.
bool fail_if_mixed(Core& core, std::uint32_t warps, std::uint32_t number) {
  Warp* first = nullptr;
  const Decoded* of_first = nullptr;
  bool is_mixed = false;
  for_waiting(core, warps, number, [&](Warp& warp, const Path& path) {
    if (first == nullptr) first = &warp, of_first = path.next;
    is_mixed |= BarrierOption::of(*path.next).reduction != BarrierOption::of(*of_first).reduction;
  });
  if (!is_mixed) return false;
  raise(*first, *of_first, FaultKind::barrier_deadlock, first->first_lane(), 0);
  core.fault.detail = kMixedBarriers;
  add_all_waiting(core);
  return true;
}

}  // namespace

namespace control {

const Decoded* barrier(Warp& warp, const Decoded& d) {
  if (!choose_barrier(warp, d)) return nullptr;
  warp.core->tally_of(d).arrivals += 1;
  return park(warp, d);
}

const Decoded* arrive_at_barrier(Warp& warp, const Decoded& d) {
  if (!choose_barrier(warp, d)) return nullptr;
  Core& core = *warp.core;
  core.tally_of(d).arrivals += 1;
  const std::uint32_t number = values(warp, d.a)[warp.first_lane()];
  const std::uint32_t expected = values(warp, d.b)[warp.first_lane()];
  std::uint32_t& arrived = core.arrivals[number];
  arrived += threads_in(warp, warp.mask);
  if (core.checker != nullptr) core.checker->arrive(warp, number);
  // A phase in which no thread waits is complete now; waiting threads are released by release_barriers().
  if (arrived >= expected && waiting_at(core, number).threads == 0) arrived -= expected;
  return &d + 1;
}

bool waits_for_block(const Decoded& d) { return d.run == barrier; }

}  // namespace control

bool release_barriers(Core& core) {
  bool released = false;
  for (std::uint32_t rest = waited_for(core); rest != 0; rest &= rest - 1) {
    const auto number = static_cast<std::uint32_t>(std::countr_zero(rest));
    const Waiting waiting = waiting_at(core, number);
    std::uint32_t& arrived = core.arrivals[number];
    if (waiting.threads + arrived < waiting.expected) continue;
    // Each waiting thread fills one expected place; those that arrived without waiting fill the rest.
    assert(arrived >= waiting.expected - std::min(waiting.threads, waiting.expected));
    arrived -= waiting.expected - std::min(waiting.threads, waiting.expected);
    if (fail_if_mixed(core, waiting.warps, number)) return false;
    release(core, waiting.warps, number);
    released = true;
  }
  return released;
}

}  // namespace vgpu::exec
