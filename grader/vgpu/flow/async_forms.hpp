// Operands of asynchronous copies (async_copies.hpp), and waiting for them: cp.async.commit_group,
// wait_group, wait_all and mbarrier.arrive. Shared by all instruction sets; forms_async.cpp starts copies.
#pragma once

#include "vgpu/state/form.hpp"

namespace vgpu::exec {

struct Core;
struct Warp;

/// Places in the operand list of a cp.async that starts a copy. kNowhere: the operand is missing.
enum CopyOperand : std::size_t { kSharedAddress, kSharedIsWide, kSharedOffset, kSourceBytes, kIgnored };

/// The number of bytes that the lane reads, at most `most`; the rest of the destination becomes zero.
std::uint32_t source_bytes(Warp& warp, const Decoded& copy, int lane, std::uint32_t most);

/// Decoded::extra of cp.async.wait_group: the number of the thread's latest groups that can stay unfinished.
constexpr std::uint32_t open_groups(const Decoded& d) { return d.extra; }

void add_async_forms(FormTable& table);

/// Finishes the copies of all warps for which arrivals at the mbarrier at this offset of shared memory wait,
/// and makes these arrivals. Called before a thread reads the mbarrier.
void finish_copies_before(Core& core, std::uint64_t barrier);

}  // namespace vgpu::exec
