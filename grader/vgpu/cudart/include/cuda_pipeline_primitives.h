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

#define __pipeline_wait_prior(n) asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory")

#endif
