#include "vgpu/state/warp.hpp"

#include <cassert>

namespace vgpu::exec {

Dim3 thread_of(const Warp& warp, int lane) {
  const Dim3& block = warp.core->launch->block;
  const std::uint32_t thread = warp.index * kWarpLanes + static_cast<std::uint32_t>(lane);
  return {thread % block.x, thread / block.x % block.y, thread / block.x / block.y};
}

const Decoded* raise(Warp& warp, const Decoded& instruction, FaultKind kind, int lane, std::uint32_t count) {
  assert(lane >= 0 && lane < kWarpLanes);
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
  assert(why != Stop::none && why != Stop::fault);
  warp.core->stop = why;
  return nullptr;
}

}  // namespace vgpu::exec
