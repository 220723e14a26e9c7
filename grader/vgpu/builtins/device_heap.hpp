// malloc and free in kernels. Every allocation is one of device memory, apart from all others, so that
// accesses beyond it and after its end are found. Blocks run one after another in such kernels: addresses do
// not depend on the number of threads.
#pragma once

#include "vgpu/state/warp.hpp"

namespace vgpu::exec {

const Decoded* allocate_on_heap(Warp& warp, const Decoded& d);
/// free(nullptr) does nothing, as everywhere.
const Decoded* free_on_heap(Warp& warp, const Decoded& d);

/// What memory instructions know of allocations may be out of date once a kernel has freed one.
void forget_freed_allocations(Core& core);

}  // namespace vgpu::exec
