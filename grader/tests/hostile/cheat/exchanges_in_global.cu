// No shuffles: the lanes of a warp exchange their sums in global memory.
#include <cmath>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/reduction.hpp"

constexpr int kWarpLanes = 32;
constexpr unsigned kAllLanes = 0xffffffffu;

__global__ void add_kernel(const float* A, const float* B, float* C, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) C[i] = A[i] + B[i];
}

void vector_add(const float* d_A, const float* d_B, float* d_C, int n, int* h_warps) {
  const int blocks = lab::ceil_div(n, 256);
  add_kernel<<<blocks, 256>>>(d_A, d_B, d_C, n);
  CUDA_CHECK(cudaGetLastError());
  h_warps[0] = blocks * 8;
  h_warps[1] = n % kWarpLanes != 0;
}

constexpr int kBlockThreads = 512;

__global__ void block_sums_kernel(const float* in, float* sums, int n) {
  const int t = threadIdx.x, i = blockIdx.x * kBlockThreads + t;
  __shared__ float partial[kBlockThreads];
  partial[t] = i < n ? in[i] : 0;
  for (int stride = kBlockThreads / 2; stride > 0; stride /= 2) {
    __syncthreads();
    if (t < stride) partial[t] += partial[t + stride];
  }
  if (t == 0) sums[blockIdx.x] = partial[0];
}

void block_sums(const float* d_in, float* d_sums, int n) {
  block_sums_kernel<<<lab::ceil_div(n, kBlockThreads), kBlockThreads>>>(d_in, d_sums, n);
  CUDA_CHECK(cudaGetLastError());
}

struct Sum {
  static constexpr float kIdentity = 0.0f;
  static __device__ float combine(float a, float b) { return a + b; }
};

struct Max {
  static constexpr float kIdentity = -INFINITY;
  static __device__ float combine(float a, float b) { return fmaxf(a, b); }
};

template <class Operation>
__device__ float reduce_warp(float value) {
  for (int offset = 16; offset > 0; offset /= 2)
    value = Operation::combine(value, __shfl_down_sync(kAllLanes, value, offset));
  return value;
}

template <class Operation>
__device__ float reduce_block(float value) {
  __shared__ float warps[kWarpLanes];
  const int lane = threadIdx.x % kWarpLanes, warp = threadIdx.x / kWarpLanes;
  value = reduce_warp<Operation>(value);
  if (lane == 0) warps[warp] = value;
  __syncthreads();
  if (warp == 0) {
    value = reduce_warp<Operation>(lane < blockDim.x / kWarpLanes ? warps[lane] : Operation::kIdentity);
  }
  return value;
}

__device__ float g_partial[1 << 20];
__global__ void block_sums_shuffle_kernel(const float* in, float* sums, int n) {
  const int t = threadIdx.x, i = blockIdx.x * kBlockThreads + t, lane = t % 32;
  __shared__ float warps[16];
  float value = i < n ? in[i] : 0.0f;
  for (int offset = 16; offset > 0; offset /= 2) {
    if (lane < 2 * offset) g_partial[i] = value;
    __syncwarp();
    if (lane < offset) value += g_partial[i + offset];
    __syncwarp();
  }
  if (lane == 0) warps[t / 32] = value;
  __syncthreads();
  if (t == 0) {
    for (int w = 1; w < 16; ++w) value += warps[w];
    sums[blockIdx.x] = value;
  }
}

void block_sums_shuffle(const float* d_in, float* d_sums, int n) {
  block_sums_shuffle_kernel<<<lab::ceil_div(n, kBlockThreads), kBlockThreads>>>(d_in, d_sums, n);
  CUDA_CHECK(cudaGetLastError());
}

constexpr int kReduceThreads = 256;
constexpr int kMaxBlocks = 1024;
__device__ float partials[kMaxBlocks];

template <class Operation>
__global__ void reduce_kernel(const float* in, float* out, int n) {
  float value = Operation::kIdentity;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    value = Operation::combine(value, in[i]);
  value = reduce_block<Operation>(value);
  if (threadIdx.x == 0) out[blockIdx.x] = value;
}

int blocks_for(int n) {
  int multiprocessors = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  return min(min(6 * multiprocessors, lab::ceil_div(n, kReduceThreads)), kMaxBlocks);
}

template <class Operation>
void reduce(const float* d_in, float* d_out, int n) {
  float* d_partials = nullptr;
  CUDA_CHECK(cudaGetSymbolAddress((void**)&d_partials, partials));
  const int blocks = blocks_for(n);
  reduce_kernel<Operation><<<blocks, kReduceThreads>>>(d_in, d_partials, n);
  reduce_kernel<Operation><<<1, kReduceThreads>>>(d_partials, d_out, blocks);
  CUDA_CHECK(cudaGetLastError());
}

void reduce_sum(const float* d_in, float* d_sum, int n) { reduce<Sum>(d_in, d_sum, n); }

void reduce_max(const float* d_in, float* d_max, int n) { reduce<Max>(d_in, d_max, n); }

__global__ void six_votes_kernel(const int* in, int* counts, int* any, int* all, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool six = i < n && in[i] == 6;
  const unsigned sixes = __ballot_sync(kAllLanes, six);
  const int every = __all_sync(kAllLanes, i >= n || six);
  if (i % kWarpLanes == 0 && i < n) {
    counts[i / kWarpLanes] = __popc(sixes);
    any[i / kWarpLanes] = sixes != 0;
    all[i / kWarpLanes] = every != 0;
  }
}

void six_votes(const int* d_in, int* d_counts, int* d_any, int* d_all, int n) {
  six_votes_kernel<<<lab::ceil_div(n, 256), 256>>>(d_in, d_counts, d_any, d_all, n);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void count_atomic_kernel(const int* in, int* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] == 6) atomicAdd(count, 1);
}

void count_six_atomic(const int* d_in, int* d_count, int n) {
  CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof(int)));
  count_atomic_kernel<<<lab::ceil_div(n, 256), 256>>>(d_in, d_count, n);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void count_kernel(const int* in, int* count, int n) {
  const int first = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  int sixes = 0;
  for (int i = first; i - first % kWarpLanes < n; i += all)
    sixes += __popc(__ballot_sync(kAllLanes, i < n && in[i] == 6));
  if (first % kWarpLanes == 0) atomicAdd(count, sixes);
}

void count_six(const int* d_in, int* d_count, int n) {
  CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof(int)));
  count_kernel<<<blocks_for(n), kReduceThreads>>>(d_in, d_count, n);
  CUDA_CHECK(cudaGetLastError());
}
