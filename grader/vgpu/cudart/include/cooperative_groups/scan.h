// Prefix sums over the threads of a tile or of a coalesced group, also with other operations than the sum.
#pragma once

#include "../cooperative_groups.h"
#include "reduce.h"

#if defined(__CUDA__)

namespace cooperative_groups {

template <class Group, class T, class Operation>
__device__ inline T inclusive_scan(const Group& group, T value, Operation operation) {
  for (unsigned int distance = 1; distance < group.num_threads(); distance *= 2) {
    const T other = group.shfl_up(value, distance);
    if (group.thread_rank() >= distance) value = operation(other, value);
  }
  return value;
}

template <class Group, class T>
__device__ inline T inclusive_scan(const Group& group, T value) {
  return inclusive_scan(group, value, plus<T>());
}

/// The first thread gets T().
template <class Group, class T, class Operation>
__device__ inline T exclusive_scan(const Group& group, T value, Operation operation) {
  const T before = group.shfl_up(inclusive_scan(group, value, operation), 1);
  return group.thread_rank() == 0 ? T() : before;
}

template <class Group, class T>
__device__ inline T exclusive_scan(const Group& group, T value) {
  return exclusive_scan(group, value, plus<T>());
}

}  // namespace cooperative_groups

#endif
