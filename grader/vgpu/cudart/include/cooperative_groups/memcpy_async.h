// Copies from global to shared memory that a group starts and waits for.
#pragma once

#include "../cooperative_groups.h"
#include "../cuda_pipeline_primitives.h"

#if defined(__CUDA__)

namespace cooperative_groups {

/// Starts asynchronous copies of as many bytes per thread as the alignment permits; single bytes are copied
/// now.
template <class Group>
__device__ inline void memcpy_async(const Group& group, void* to, const void* from, size_t bytes) {
  char* const target = static_cast<char*>(to);
  const char* const source = static_cast<const char*>(from);
  const size_t common = reinterpret_cast<size_t>(target) | reinterpret_cast<size_t>(source) | bytes;
  const size_t step = common % 16 == 0 ? 16 : common % 8 == 0 ? 8 : common % 4 == 0 ? 4 : 1;
  for (size_t at = group.thread_rank() * step; at < bytes; at += group.num_threads() * step) {
    if (step == 1)
      target[at] = source[at];
    else
      __pipeline_memcpy_async(target + at, source + at, step);
  }
  __pipeline_commit();
}

template <class Group, class T>
__device__ inline void memcpy_async(const Group& group, T* to, size_t to_count, const T* from,
                                    size_t from_count) {
  memcpy_async(group, to, from, (to_count < from_count ? to_count : from_count) * sizeof(T));
}

/// Waits for all copies but the latest `Count`.
template <unsigned int Count, class Group>
__device__ inline void wait_prior(const Group& group) {
  __pipeline_wait_prior(Count);
  group.sync();
}

template <class Group>
__device__ inline void wait(const Group& group) {
  wait_prior<0>(group);
}

}  // namespace cooperative_groups

#endif
