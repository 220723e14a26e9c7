// Reductions over the threads of a tile or of a coalesced group.
#pragma once

#include "../cooperative_groups.h"

#if defined(__CUDA__)

namespace cooperative_groups {

#define KIT_OPERATION(name, expression)                            \
  template <class T>                                               \
  struct name {                                                    \
    __device__ T operator()(T a, T b) const { return expression; } \
  };
KIT_OPERATION(plus, a + b)
KIT_OPERATION(less, b < a ? b : a)
KIT_OPERATION(greater, a < b ? b : a)
KIT_OPERATION(bit_and, a& b)
KIT_OPERATION(bit_or, a | b)
KIT_OPERATION(bit_xor, a ^ b)
#undef KIT_OPERATION

/// All threads get the result.
template <unsigned int Size, class Parent, class T, class Operation>
__device__ inline T reduce(const thread_block_tile<Size, Parent>& group, T value, Operation operation) {
#pragma unroll
  for (unsigned int lanes = Size / 2; lanes > 0; lanes /= 2)
    value = operation(value, group.shfl_xor(value, lanes));
  return value;
}

template <class T, class Operation>
__device__ inline T reduce(const coalesced_group& group, T value, Operation operation) {
  const unsigned int rank = group.thread_rank(), count = group.num_threads();
  for (unsigned int distance = 1; distance < count; distance *= 2) {
    const T other = group.shfl_down(value, distance);
    if (rank + distance < count) value = operation(value, other);
  }
  return group.shfl(value, 0);
}

}  // namespace cooperative_groups

#endif
