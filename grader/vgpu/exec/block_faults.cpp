// How a block stops: facts about what went wrong, and who waits where when nobody can run on.
#include <algorithm>

#include "vgpu/exec/block.hpp"
#include "vgpu/exec/control.hpp"
#include "vgpu/exec/warp_groups.hpp"

namespace vgpu::exec {
namespace {

WaitingThreads waiting_threads(Warp& warp, const Decoded& at, std::uint32_t lanes, bool at_barrier) {
  const Program& program = warp.core->program();
  const Origin& origin = program.origins[at.origin];
  WaitingThreads waiting;
  waiting.source = origin.source;
  if (origin.source.file < program.files.size()) waiting.file = program.files[origin.source.file];
  waiting.threads = static_cast<std::uint32_t>(std::popcount(lanes));
  waiting.first_thread = thread_of(warp, std::countr_zero(lanes));
  waiting.at_barrier = at_barrier;
  return waiting;
}

void add_waiting_at_joins(Warp& warp, std::vector<WaitingThreads>& waiting) {
  for (const Join& join : warp.joins) {
    // The join point stands before the instruction at which the lanes meet.
    if (join.arrived != 0) waiting.push_back(waiting_threads(warp, join.at[1], join.arrived, false));
  }
}

}  // namespace

Dim3 thread_of(const Warp& warp, int lane) {
  const Dim3& block = warp.core->launch->block;
  const std::uint32_t thread = warp.index * kWarpLanes + static_cast<std::uint32_t>(lane);
  return {thread % block.x, thread / block.x % block.y, thread / block.x / block.y};
}

const Decoded* raise(Warp& warp, const Decoded& instruction, FaultKind kind, int lane, std::uint32_t count) {
  Core& core = *warp.core;
  const Program& program = core.program();
  const Origin& origin = program.origins[instruction.origin];
  core.stop = Stop::fault;
  core.fault = {};
  core.fault.kind = kind;
  core.fault.kernel = program.kernel;
  core.fault.source = origin.source;
  if (origin.source.file < program.files.size()) core.fault.file = program.files[origin.source.file];
  core.fault.instruction = origin.spelled;
  core.fault.block = core.block;
  core.fault.thread = thread_of(warp, lane);
  core.fault.count = count;
  return nullptr;
}

const Decoded* stop_block(Warp& warp, Stop why) {
  warp.core->stop = why;
  return nullptr;
}

void add_waiting(Warp& warp) {
  std::vector<WaitingThreads>& waiting = warp.core->fault.waiting;
  for (const Path& path : warp.parked) {
    waiting.push_back(waiting_threads(warp, *path.next, path.mask, control::waits_for_block(*path.next)));
  }
  add_waiting_at_joins(warp, waiting);
}

/// Part of a warp waits for the block.
void BlockRunner::fail_divergent_barrier(Warp& warp) {
  const auto path = std::find_if(warp.parked.begin(), warp.parked.end(),
                                 [&](const Path& p) { return control::waits_for_block(*p.next); });
  raise(warp, *path->next, FaultKind::divergent_barrier, std::countr_zero(path->mask),
        static_cast<std::uint32_t>(std::popcount(path->mask)));
  add_waiting(warp);
}

void BlockRunner::fail_deadlock() {
  for (Warp& warp : core_.warps) {
    if (warp.live == 0) continue;
    if (const Path* group = waiting_group(warp)) return raise_missing_lanes(warp, *group);
    std::uint32_t lanes = 0;
    for (const Path& path : warp.parked) lanes |= path.mask;
    if (lanes != warp.live) return fail_divergent_barrier(warp);
  }
  for (Warp& warp : core_.warps) {
    for (const Path& path : warp.parked) {
      if (core_.stop == Stop::none) {
        raise(warp, *path.next, FaultKind::barrier_deadlock, std::countr_zero(path.mask), 0);
      }
      WaitingThreads waiting = waiting_threads(warp, *path.next, path.mask, true);
      core_.fault.count += waiting.threads;
      auto& all = core_.fault.waiting;
      const auto known = std::find_if(all.begin(), all.end(), [&](const WaitingThreads& other) {
        return other.source == waiting.source && other.file == waiting.file;
      });
      if (known == all.end()) {
        all.push_back(std::move(waiting));
      } else {
        known->threads += waiting.threads;
      }
    }
  }
}

}  // namespace vgpu::exec
