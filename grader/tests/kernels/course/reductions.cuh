// Sums and prefix sums.
#pragma once

#include "course.hpp"

#if __has_include(<cooperative_groups/reduce.h>)
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#define COURSE_HAS_COOPERATIVE_GROUPS
namespace cg = cooperative_groups;
#endif

namespace course {

__global__ void red_interleaved(const float* in, float* out, int n) {
  extern __shared__ float s[];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned k = 1; k < blockDim.x; k *= 2) {
    if (t % (2 * k) == 0) s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

__global__ void red_interleaved2(const float* in, float* out, int n) {
  extern __shared__ float s[];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned k = 1; k < blockDim.x; k *= 2) {
    const unsigned j = 2 * k * t;
    if (j < blockDim.x) s[j] += s[j + k];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

__global__ void red_sequential(const float* in, float* out, int n) {
  extern __shared__ float s[];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
  s[t] = (i < n ? in[i] : 0) + (i + blockDim.x < n ? in[i + blockDim.x] : 0);
  __syncthreads();
  for (unsigned k = blockDim.x / 2; k > 0; k >>= 1) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

/// Blocks of 64 threads; the last warp continues without the block's barrier.
__global__ void red_volatile(const int* in, int* out) {
  extern __shared__ int words[];
  const unsigned t = threadIdx.x;
  words[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  if (t < 32) {
    volatile int* v = words;
    for (int k = 32; k > 0; k /= 2) {
      const int sum = v[t] + v[t + k];
      __syncwarp();
      v[t] = sum;
      __syncwarp();
    }
  }
  if (t == 0) out[blockIdx.x] = words[0];
}

__global__ void red_shfl(const float* in, float* out, int n) {
  __shared__ float warps[32];
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += in[i];
  for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_down_sync(~0U, v, offset);
  if ((threadIdx.x & 31) == 0) warps[threadIdx.x >> 5] = v;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  v = threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : 0;
  for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_xor_sync(~0U, v, offset);
  if (threadIdx.x == 0) atomicAdd(out, v);
}

/// Hillis and Steele's scan of each block's elements, with two buffers.
__global__ void scan_hs(const float* in, float* out, int n) {
  extern __shared__ float s[];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, width = blockDim.x;
  int to = 0;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int offset = 1; offset < width; offset <<= 1) {
    const int from = to;
    to ^= 1;
    s[to * width + t] = s[from * width + t] + (t >= offset ? s[from * width + t - offset] : 0);
    __syncthreads();
  }
  if (i < n) out[i] = s[to * width + t];
}

#ifdef COURSE_HAS_COOPERATIVE_GROUPS
__global__ void cg_reduce(const int* in, int* out, int n) {
  const cg::thread_block block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  int v = 0;
  for (int i = blockIdx.x * blockDim.x + block.thread_rank(); i < n; i += gridDim.x * blockDim.x) v += in[i];
  v = cg::reduce(warp, v, cg::plus<int>());
  if (warp.thread_rank() == 0) atomicAdd(out, v);
  block.sync();
}

__global__ void cg_reducef(const float* in, float* out) {
  const auto block = cg::this_thread_block();
  const auto half = cg::tiled_partition<16>(block);
  float v = in[block.thread_rank()];
  for (int offset = half.size() / 2; offset > 0; offset /= 2) v += half.shfl_down(v, offset);
  if (half.thread_rank() == 0) out[half.meta_group_rank()] = v;
  const auto active = cg::coalesced_threads();
  active.sync();
}

inline void run_cooperative(Results& results, Random& random) {
  const int n = 1001;
  const Array<int> in(random.integers(n, 100000)), sum(1);
  cg_reduce<<<3, 96>>>(in, sum, n);
  results.launched("cg_reduce");
  results.add("out", sum);

  const Array<float> reals(random.reals(80)), halves(5);
  cg_reducef<<<1, 80>>>(reals, halves);
  results.launched("cg_reducef");
  results.add("out", halves);
}
#endif

/// The error bound of a sum of `count` values up to `largest` in any order: count - 1 times 2^-24 of the sum.
inline Bound any_order(int count, double largest) {
  return absolute((count - 1) * count * largest / (1 << 24));
}

inline void run_reductions(Results& results) {
  Random random(3);
  const int n = 1000;
  const Array<float> in(random.reals(n));
  const auto tree = [&](const char* launch, auto kernel, int blocks) {
    const Array<float> out(blocks);
    kernel<<<blocks, 128, 128 * sizeof(float)>>>(in, out, n);
    results.launched(launch);
    results.add("out", out);
  };
  tree("red_interleaved", red_interleaved, 8);
  tree("red_interleaved2", red_interleaved2, 8);
  tree("red_sequential", red_sequential, 4);

  const Array<int> integers(random.integers(256, 1000)), sums(4);
  red_volatile<<<4, 64, 64 * sizeof(int)>>>(integers, sums);
  results.launched("red_volatile");
  results.add("out", sums);

  const Array<float> one_block(1), five_blocks(1);
  red_shfl<<<1, 256>>>(in, one_block, n);
  results.launched("red_shfl");
  results.add("out", one_block);
  red_shfl<<<5, 128>>>(in, five_blocks, n);
  results.launched("red_shfl_five_blocks");
  results.add("out", five_blocks, any_order(5, n / 5));

  const Array<float> scanned(n);
  scan_hs<<<8, 128, 2 * 128 * sizeof(float)>>>(in, scanned, n);
  results.launched("scan_hs");
  results.add("out", scanned);

#ifdef COURSE_HAS_COOPERATIVE_GROUPS
  run_cooperative(results, random);
#endif
}

}  // namespace course
