// Idea: blocks combine by atomics: atomicAdd for sums, atomicMax and atomicMin on bits, atomicCAS; float4
// loads.

#include <cstdint>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/reduction.hpp"

constexpr unsigned kFull = 0xffffffffu;

__global__ void add_kernel(const float* A, const float* B, float* C, int n) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i >= n) return;
  C[i] = A[i] + B[i];
}

void vector_add(const float* d_A, const float* d_B, float* d_C, int n, int* h_warps) {
  const int blocks = lab::ceil_div(n, 256);
  add_kernel<<<blocks, 256>>>(d_A, d_B, d_C, n);
  CUDA_CHECK(cudaGetLastError());
  h_warps[0] = 8 * blocks;
  h_warps[1] = n % 32 ? 1 : 0;
}

// Recursive template: the tree's steps, each one instantiation.
template <int kStride>
__device__ void tree(volatile float* partial, int t) {
  if constexpr (kStride > 0) {
    __syncthreads();
    if (t < kStride) partial[t] += partial[t + kStride];
    tree<kStride / 2>(partial, t);
  }
}

__global__ void block_sums_kernel(const float* in, float* sums, int n) {
  extern __shared__ float partial[];
  const int i = blockIdx.x * 512 + threadIdx.x;
  partial[threadIdx.x] = 0.0f;
  if (i < n) partial[threadIdx.x] = in[i];
  tree<256>(partial, threadIdx.x);
  if (threadIdx.x == 0) sums[blockIdx.x] = partial[0];
}

void block_sums(const float* d_in, float* d_sums, int n) {
  block_sums_kernel<<<lab::ceil_div(n, 512), 512, 512 * sizeof(float)>>>(d_in, d_sums, n);
  CUDA_CHECK(cudaGetLastError());
}

__device__ float warp_sum(float v) {
  v += __shfl_down_sync(kFull, v, 16);
  v += __shfl_down_sync(kFull, v, 8);
  v += __shfl_down_sync(kFull, v, 4);
  v += __shfl_down_sync(kFull, v, 2);
  return v + __shfl_down_sync(kFull, v, 1);
}

// Each warp adds to the block's sum in shared memory.
__global__ void block_sums_shuffle_kernel(const float* in, float* sums, int n) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float of_warp = warp_sum(i < n ? in[i] : 0.0f);
  if (threadIdx.x % 32 == 0) atomicAdd(&sum, of_warp);
  __syncthreads();
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

void block_sums_shuffle(const float* d_in, float* d_sums, int n) {
  block_sums_shuffle_kernel<<<lab::ceil_div(n, 512), 512>>>(d_in, d_sums, n);
  CUDA_CHECK(cudaGetLastError());
}

template <class F>
__device__ void for_elements(const float* in, int n, F use) {
  const int threads = gridDim.x * blockDim.x, t = blockIdx.x * blockDim.x + threadIdx.x;
  const int quads = reinterpret_cast<std::uintptr_t>(in) % sizeof(float4) == 0 ? n / 4 : 0;
  for (int i = t; i < quads; i += threads) {
    const float4 v = reinterpret_cast<const float4*>(in)[i];
    use(v.x), use(v.y), use(v.z), use(v.w);
  }
  for (int i = 4 * quads + t; i < n; i += threads) use(in[i]);
}

__global__ void sum_kernel(const float* in, float* out, int n) {
  float sum = 0;
  for_elements(in, n, [&](float v) { sum += v; });
  sum = warp_sum(sum);
  __shared__ float warps[8];
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 8) {
    sum = warps[threadIdx.x];
    for (int d = 4; d > 0; d /= 2) sum += __shfl_down_sync(0xff, sum, d, 8);
    if (threadIdx.x == 0) atomicAdd(out, sum);
  }
}

int blocks_for(int n) { return n > 64 * 1024 ? 64 : lab::ceil_div(n, 1024); }

void reduce_sum(const float* d_in, float* d_sum, int n) {
  CUDA_CHECK(cudaMemsetAsync(d_sum, 0, sizeof(float)));
  sum_kernel<<<blocks_for(n), 256>>>(d_in, d_sum, n);
  CUDA_CHECK(cudaGetLastError());
}

// Nonnegative floats are ordered like their bits as int, negative ones in reverse like their bits as
// unsigned.
__device__ void atomic_maximum(float* address, float value) {
  if (!signbit(value))
    atomicMax(reinterpret_cast<int*>(address), __float_as_int(value));
  else
    atomicMin(reinterpret_cast<unsigned*>(address), __float_as_uint(value));
}

__global__ void first_kernel(const float* in, float* out) { *out = in[0]; }

__global__ void max_kernel(const float* in, float* out, int n) {
  float most = in[0];
  for_elements(in, n, [&](float v) { most = v > most ? v : most; });
  for (int d = 16; d > 0; d /= 2) most = fmaxf(most, __shfl_xor_sync(kFull, most, d));
  if (threadIdx.x % 32 == 0) atomic_maximum(out, most);
}

void reduce_max(const float* d_in, float* d_max, int n) {
  first_kernel<<<1, 1>>>(d_in, d_max);
  max_kernel<<<blocks_for(n), 256>>>(d_in, d_max, n);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void votes_kernel(const int* in, int* counts, int* any, int* all, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned group = i / 32;
  const int members = min(32, n - static_cast<int>(group) * 32);
  const int count = __popc(__ballot_sync(kFull, i < n && in[min(i, n - 1)] == 6));
  if (threadIdx.x % 32 || i >= n) return;
  counts[group] = count;
  any[group] = min(count, 1);
  all[group] = count == members ? 1 : 0;
}

void six_votes(const int* d_in, int* d_counts, int* d_any, int* d_all, int n) {
  votes_kernel<<<lab::ceil_div(n, 96), 96>>>(d_in, d_counts, d_any, d_all, n);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void six_atomic_kernel(const int* in, int* count, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    if (in[i] == 6) atomicAdd(count, 1);
}

void count_six_atomic(const int* d_in, int* d_count, int n) {
  CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof(int)));
  six_atomic_kernel<<<40, 160>>>(d_in, d_count, n);
  CUDA_CHECK(cudaGetLastError());
}

// Four elements per lane and iteration; a count of the block with one atomic for all warps.
__global__ void count_kernel(const int* in, int* count, int n) {
  int sixes = 0;
  const int step = gridDim.x * blockDim.x;
  for (int first = blockIdx.x * blockDim.x + (threadIdx.x & ~31); first < n; first += 4 * step)
#pragma unroll
    for (int part = 0; part < 4; ++part) {
      const int i = first + part * step + static_cast<int>(threadIdx.x & 31);
      sixes += __popc(__ballot_sync(kFull, i < n && in[i] == 6));
    }
  __shared__ int total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) atomicAdd(&total, sixes);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(count, total);
}

void count_six(const int* d_in, int* d_count, int n) {
  CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof(int)));
  count_kernel<<<24, 256>>>(d_in, d_count, n);
  CUDA_CHECK(cudaGetLastError());
}
