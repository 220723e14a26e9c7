#include "vgpu/flow/waiting.hpp"

#include <algorithm>
#include <cassert>

#include "vgpu/flow/barriers.hpp"

namespace vgpu::exec {

WaitingThreads waiting_threads(Warp& warp, const Decoded& at, std::uint32_t lanes, bool at_barrier) {
  assert(lanes != 0);
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

namespace {

void add_waiting_at_joins(Warp& warp, std::vector<WaitingThreads>& waiting) {
  for (const Join& join : warp.joins) {
    // The join point precedes the instruction at which the lanes meet.
    if (join.arrived != 0) waiting.push_back(waiting_threads(warp, join.at[1], join.arrived, false));
  }
}

}  // namespace

void add_waiting(Warp& warp) {
  std::vector<WaitingThreads>& waiting = warp.core->fault.waiting;
  for (const Path& path : warp.parked) {
    waiting.push_back(waiting_threads(warp, *path.next, path.mask, control::waits_for_block(*path.next)));
  }
  add_waiting_at_joins(warp, waiting);
}

void add_all_waiting(Core& core) {
  std::vector<WaitingThreads> all;
  for (Warp& warp : core.warps) {
    for (const auto* paths : {&warp.parked, &warp.ready}) {
      for (const Path& path : *paths) all.push_back(waiting_threads(warp, *path.next, path.mask, true));
    }
    add_waiting_at_joins(warp, all);
  }
  core.fault.count = 0;
  for (WaitingThreads& waiting : all) {
    core.fault.count += waiting.threads;
    auto& places = core.fault.waiting;
    const auto known = std::find_if(places.begin(), places.end(), [&](const WaitingThreads& other) {
      return other.source == waiting.source && other.file == waiting.file;
    });
    if (known == places.end())
      places.push_back(std::move(waiting));
    else
      known->threads += waiting.threads;
  }
}

}  // namespace vgpu::exec
