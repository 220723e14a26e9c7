// Idea: one cooperative launch does both levels, with a barrier of the whole grid between them; generic
// lambdas.

#include <algorithm>
#include <cmath>

#include <cooperative_groups.h>

#include "lab/check.hpp"
#include "lab/reduction.hpp"

namespace cg = cooperative_groups;
constexpr unsigned kAll = ~0u;

__global__ void __launch_bounds__(256)
    add_kernel(const float* __restrict__ A, const float* __restrict__ B, float* C, unsigned n) {
  if (const unsigned i = blockIdx.x * 256 + threadIdx.x; i < n) C[i] = __ldg(A + i) + __ldg(B + i);
}

void vector_add(const float* d_A, const float* d_B, float* d_C, int n, int* h_warps) {
  const int blocks = n / 256 + (n % 256 ? 1 : 0);
  add_kernel<<<blocks, 256>>>(d_A, d_B, d_C, n);
  CUDA_CHECK(cudaGetLastError());
  h_warps[0] = blocks * 256 / 32;
  h_warps[1] = 0;
  for (int first = n / 32 * 32; first < n; first += 32) h_warps[1] += first + 32 > n;
}

// The upper half hands over its value and is done; the last warp needs no block-wide barrier.
__global__ void block_sums_kernel(const float* in, float* sums, int n) {
  __shared__ float partial[512];
  const int t = threadIdx.x, i = blockIdx.x * 512 + t;
  float sum = i < n ? in[i] : 0.0f;
  partial[t] = sum;
  for (int half = 256; half >= 32; half >>= 1) {
    __syncthreads();
    if (t < half) partial[t] = sum += partial[t + half];
  }
  if (t >= 32) return;
  for (int half = 16; half > 0; half >>= 1) {
    __syncwarp();
    const float other = partial[t + half];
    __syncwarp();
    partial[t] = sum += other;
  }
  if (t == 0) sums[blockIdx.x] = sum;
}

void block_sums(const float* d_in, float* d_sums, int n) {
  block_sums_kernel<<<(n + 511) / 512, 512>>>(d_in, d_sums, n);
  CUDA_CHECK(cudaGetLastError());
}

template <class F>
__device__ float of_block(float value, F combine) {
  __shared__ float warps[32];
  const auto of_warp = [&](float v) {
    for (int mask = 1; mask < 32; mask <<= 1) v = combine(v, __shfl_xor_sync(kAll, v, mask));
    return v;
  };
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, count = (blockDim.x + 31) >> 5;
  value = of_warp(value);
  if (lane == 0) warps[warp] = value;
  __syncthreads();
  value = warps[min(lane, count - 1)];
  if (lane >= count) value = combine(0.0f, 0.0f);
  return of_warp(value);
}

__global__ void shuffle_kernel(const float* in, float* sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float sum = of_block(i < n ? in[i] : 0.0f, [](float a, float b) { return a + b; });
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

void block_sums_shuffle(const float* d_in, float* d_sums, int n) {
  shuffle_kernel<<<(n + 511) / 512, 512>>>(d_in, d_sums, n);
  CUDA_CHECK(cudaGetLastError());
}

__device__ float of_blocks[1024];

template <bool kMaximum>
__global__ void both_levels_kernel(const float* in, float* out, int n) {
  const cg::grid_group grid = cg::this_grid();
  const auto combine = [](float a, float b) { return kMaximum ? fmaxf(a, b) : a + b; };
  const float neutral = kMaximum ? -INFINITY : 0.0f;
  const auto warp_wide = [&](float v) {
    for (int d = 16; d; d /= 2) v = combine(v, __shfl_down_sync(kAll, v, d));
    return v;
  };
  __shared__ float warps[8];
  const auto block_wide = [&](float v) {
    v = warp_wide(v);
    __syncthreads();
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = v;
    __syncthreads();
    v = neutral;
    if (threadIdx.x == 0)
      for (float w : warps) v = combine(v, w);
    return v;
  };
  float value = neutral;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) value = combine(value, in[i]);
  value = block_wide(value);
  if (threadIdx.x == 0) of_blocks[blockIdx.x] = value;
  grid.sync();
  if (blockIdx.x != 0) return;
  value = threadIdx.x < gridDim.x ? of_blocks[threadIdx.x] : neutral;
  value = block_wide(value);
  if (threadIdx.x == 0) *out = value;
}

template <bool kMaximum>
void reduce(const float* d_in, float* d_out, int n) {
  int sms = 0, per_sm = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, both_levels_kernel<kMaximum>, 256, 0));
  int blocks = std::min({sms * per_sm, (n + 255) / 256, 256});
  void* arguments[] = {&d_in, &d_out, &n};
  CUDA_CHECK(
      cudaLaunchCooperativeKernel((const void*)both_levels_kernel<kMaximum>, blocks, 256, arguments, 0, 0));
}

void reduce_sum(const float* d_in, float* d_sum, int n) { reduce<false>(d_in, d_sum, n); }
void reduce_max(const float* d_in, float* d_max, int n) { reduce<true>(d_in, d_max, n); }

__global__ void votes_kernel(const int* in, int* counts, int* any, int* all, int n) {
  const int group = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, groups = (n + 31) / 32;
  if (group >= groups) return;  // whole warps
  const int i = 32 * group + threadIdx.x % 32;
  const unsigned present = __ballot_sync(kAll, i < n), sixes = __ballot_sync(kAll, i < n && in[i] == 6);
  if (threadIdx.x % 32 != 0) return;
  counts[group] = __popc(sixes);
  any[group] = sixes != 0;
  all[group] = sixes == present;
}

void six_votes(const int* d_in, int* d_counts, int* d_any, int* d_all, int n) {
  votes_kernel<<<(n + 1023) / 1024, 1024>>>(d_in, d_counts, d_any, d_all, n);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void atomic_kernel(const int* in, int* count, int n) {
  const int i = threadIdx.x + blockDim.x * blockIdx.x;
  if (i < n && in[i] == 6) atomicInc(reinterpret_cast<unsigned*>(count), ~0u);
}

void count_six_atomic(const int* d_in, int* d_count, int n) {
  CUDA_CHECK(cudaMemset(d_count, 0, sizeof(int)));
  atomic_kernel<<<(n + 255) / 256, 256>>>(d_in, d_count, n);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void count_kernel(const int* in, int* count, int n) {
  int sixes = 0;
  for (int i = blockIdx.x * 512 + threadIdx.x; __any_sync(kAll, i < n); i += gridDim.x * 512)
    sixes += __popc(__ballot_sync(kAll, i < n ? in[i] == 6 : false));
  if (threadIdx.x % 32 == 0 && sixes != 0) atomicAdd(count, sixes);
}

void count_six(const int* d_in, int* d_count, int n) {
  CUDA_CHECK(cudaMemset(d_count, 0, sizeof(int)));
  count_kernel<<<32, 512>>>(d_in, d_count, n);
  CUDA_CHECK(cudaGetLastError());
}
