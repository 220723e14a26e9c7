// Asynchronous copies from global to shared memory: start copies, commit them as a group, wait for all but
// the latest groups.
#pragma once

#include "cuda_runtime.h"

#if defined(__CUDA__)

static __inline__ __device__ void __pipeline_memcpy_async(void* dst_shared, const void* src_global,
                                                          size_t size_and_align, size_t zfill = 0) {
  const unsigned int to = __nvvm_get_smem_pointer(dst_shared);
  const unsigned int from_bytes = (unsigned int)(size_and_align - zfill);
  if (size_and_align == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(src_global), "r"(from_bytes)
                 : "memory");
  } else if (size_and_align == 8) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(src_global), "r"(from_bytes)
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(src_global), "r"(from_bytes)
                 : "memory");
  }
}

static __inline__ __device__ void __pipeline_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

#define KIT_WAIT_PRIOR(n)                                     \
  case n:                                                     \
    asm volatile("cp.async.wait_group " #n ";" ::: "memory"); \
    return

/// `prior` need not be a constant; the instruction takes constants only.
static __inline__ __device__ __attribute__((always_inline)) void __pipeline_wait_prior(size_t prior) {
  switch (prior) {
    KIT_WAIT_PRIOR(0);
    KIT_WAIT_PRIOR(1);
    KIT_WAIT_PRIOR(2);
    KIT_WAIT_PRIOR(3);
    KIT_WAIT_PRIOR(4);
    KIT_WAIT_PRIOR(5);
    KIT_WAIT_PRIOR(6);
    KIT_WAIT_PRIOR(7);
    default:
      asm volatile("cp.async.wait_group 8;" ::: "memory");
  }
}

#undef KIT_WAIT_PRIOR

#endif
