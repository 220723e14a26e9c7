// Values that lanes of a warp exchange, of any size.
#pragma once

namespace kit {

constexpr unsigned int kAllLanes = 0xFFFFFFFF;

__device__ inline unsigned int lane() {
  unsigned int lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

__device__ inline unsigned int rank_in_block() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

/// How many lanes of the mask precede this lane.
__device__ inline unsigned int rank_in(unsigned int mask) { return __popc(mask & ((1U << lane()) - 1)); }

template <class T>
struct Words {
  unsigned int words[(sizeof(T) + 3) / 4] = {};
  __device__ explicit Words(const T& value) { memcpy(words, &value, sizeof(T)); }
  __device__ T value() const {
    T value;
    memcpy(&value, words, sizeof(T));
    return value;
  }
};

template <class T>
__device__ inline T shuffle(unsigned int mask, const T& value, int lane) {
  Words<T> all(value);
  for (unsigned int& one : all.words) one = __shfl_sync(mask, one, lane);
  return all.value();
}

template <class T>
__device__ inline unsigned int match_any(unsigned int mask, const T& value) {
  unsigned int same = mask;
  for (unsigned int one : Words<T>(value).words) same &= __match32_any_sync(mask, one);
  return same;
}

}  // namespace kit
