// Waiting for copies that run behind a thread's back (async_copies.hpp): cp.async.commit_group, wait_group,
// wait_all and mbarrier.arrive. The same for every instruction set; starting a copy is in forms_async.cpp.
#pragma once

#include "vgpu/state/form.hpp"

namespace vgpu::exec {

struct Core;

/// Decoded::extra of cp.async.wait_group: so many of the thread's latest groups may stay under way.
constexpr std::uint32_t open_groups(const Decoded& d) { return d.extra; }

void add_async_forms(FormTable& table);

/// Somebody looks at the mbarrier at this offset of shared memory: the copies that arrivals there wait for,
/// of all warps, get there now, and the arrivals happen.
void finish_copies_before(Core& core, std::uint64_t barrier);

}  // namespace vgpu::exec
