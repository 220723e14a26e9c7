// clang's warp intrinsics, except for __reduce_*_sync. clang has these since version 17, but swaps mask and
// value at least up to version 18. This file renames clang's functions; warp_reduce.h defines correct ones.
#pragma once

#pragma GCC system_header

#define __reduce_add_sync __kit_hidden_reduce_add_sync
#define __reduce_min_sync __kit_hidden_reduce_min_sync
#define __reduce_max_sync __kit_hidden_reduce_max_sync
#define __reduce_and_sync __kit_hidden_reduce_and_sync
#define __reduce_or_sync __kit_hidden_reduce_or_sync
#define __reduce_xor_sync __kit_hidden_reduce_xor_sync
#include <__clang_cuda_intrinsics.h>
#undef __reduce_add_sync
#undef __reduce_min_sync
#undef __reduce_max_sync
#undef __reduce_and_sync
#undef __reduce_or_sync
#undef __reduce_xor_sync

// clang's shuffles of an unsigned long long call themselves without end, at least in version 14. A function
// with enable_if is a better match than the same without it (clang's manual, "Attributes in Clang",
// enable_if).
#define KIT_SHUFFLE(name, Lanes)                                                                         \
  inline __device__ unsigned long long name(unsigned int mask, unsigned long long value, Lanes lanes,    \
                                            int width = warpSize) __attribute__((enable_if(true, ""))) { \
    return static_cast<unsigned long long>(name(mask, static_cast<long long>(value), lanes, width));     \
  }
KIT_SHUFFLE(__shfl_sync, int)
KIT_SHUFFLE(__shfl_up_sync, unsigned int)
KIT_SHUFFLE(__shfl_down_sync, unsigned int)
KIT_SHUFFLE(__shfl_xor_sync, int)
#undef KIT_SHUFFLE
