#include "vgpu/builtins/device_heap.hpp"

#include "vgpu/builtins/call_arguments.hpp"

namespace vgpu::exec {
namespace {

/// Why the address cannot be freed; empty if it can.
const char* why_not_freed(const GlobalMemory& memory, std::uint64_t address) {
  const Segment* segment = memory.near(address);
  if (segment == nullptr || segment->purpose != Purpose::device_heap) return "was not allocated by a kernel";
  if (!segment->live()) return "was freed before";
  return segment->start == address ? "" : "is not the start of its allocation";
}

}  // namespace

const Decoded* allocate_on_heap(Warp& warp, const Decoded& d) {
  Core& core = *warp.core;
  if (core.view != nullptr) return stop_block(warp, Stop::needs_order);
  const auto& at = places(warp, d);
  for (std::uint32_t rest = warp.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const auto size = read_local<std::uint64_t>(warp, lane, at[1]);
    write_local(warp, lane, at[0], core.memory->allocate(size, Purpose::device_heap));
  }
  return &d + 1;
}

const Decoded* free_on_heap(Warp& warp, const Decoded& d) {
  Core& core = *warp.core;
  if (core.view != nullptr) return stop_block(warp, Stop::needs_order);
  const auto& at = places(warp, d);
  for (std::uint32_t rest = warp.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const auto address = read_local<std::uint64_t>(warp, lane, at[1]);
    if (address == 0) continue;
    if (const std::string why = why_not_freed(*core.memory, address); !why.empty()) {
      raise(warp, d, FaultKind::invalid_free, lane, 1);
      core.fault.address = address;
      core.fault.detail = why;
      return nullptr;
    }
    core.memory->free(address);
  }
  forget_freed_allocations(core);
  return &d + 1;
}

void forget_freed_allocations(Core& core) {
  if (core.known_frees == core.memory->frees()) return;
  core.known_frees = core.memory->frees();
  for (Memo& memo : core.memos) {
    // An empty range: the next access looks its allocation up again.
    memo.start = 1;
    memo.end = 0;
  }
}

}  // namespace vgpu::exec
