// malloc and free in kernels. Every allocation is a separate allocation of device memory, so that accesses
// beyond its end and after free() are found. Blocks of such kernels run one after another: addresses do not
// depend on the number of threads.
#pragma once

#include "vgpu/state/warp.hpp"

namespace vgpu::exec {

const Decoded* allocate_on_heap(Warp& warp, const Decoded& d);
/// free(nullptr) has no effect, as in C.
const Decoded* free_on_heap(Warp& warp, const Decoded& d);

/// Clears the allocations stored in memos if any allocation was freed since they were stored.
void forget_freed_allocations(Core& core);

}  // namespace vgpu::exec
