// Idea: the shuffles of a warp as one block of PTX, and the index of the warp computed by one lane.

#include <cmath>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/reduction.hpp"

constexpr int kWarpLanes = 32;
constexpr unsigned kAllLanes = 0xffffffffu;

// ---- A. One divergent warp ----

__global__ void add_kernel(const float* A, const float* B, float* C, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) C[i] = A[i] + B[i];
}

void vector_add(const float* d_A, const float* d_B, float* d_C, int n, int* h_warps) {
  constexpr int kThreads = 256;
  const int blocks = lab::ceil_div(n, kThreads);
  add_kernel<<<blocks, kThreads>>>(d_A, d_B, d_C, n);
  CUDA_CHECK(cudaGetLastError());

  h_warps[0] = blocks * (kThreads / kWarpLanes);
  // Only the lanes of the warp that contains n can disagree, and they do unless a warp begins at n.
  h_warps[1] = n % kWarpLanes != 0 ? 1 : 0;
}

// ---- B. The sum of a block, with a tree in shared memory ----

constexpr int kBlockThreads = 512;

__global__ void block_sums_kernel(const float* in, float* sums, int n) {
  __shared__ float partial[kBlockThreads];
  const int t = threadIdx.x;
  const int i = blockIdx.x * kBlockThreads + t;
  partial[t] = i < n ? in[i] : 0.0f;  // 0 changes no sum, so that the tree needs no guard

  // The threads that still add are 0 to stride - 1: whole warps, until fewer than 32 are left.
  for (int stride = kBlockThreads / 2; stride >= 1; stride /= 2) {
    __syncthreads();  // the previous step is complete
    if (t < stride) partial[t] += partial[t + stride];
  }
  if (t == 0) sums[blockIdx.x] = partial[0];
}

void block_sums(const float* d_in, float* d_sums, int n) {
  block_sums_kernel<<<lab::ceil_div(n, kBlockThreads), kBlockThreads>>>(d_in, d_sums, n);
  CUDA_CHECK(cudaGetLastError());
}

// ---- C. Warp shuffles ----

// How to combine two values, and the value that changes nothing.
struct Sum {
  static constexpr float kIdentity = 0.0f;
  static __device__ float combine(float a, float b) { return a + b; }
};
struct Max {
  static constexpr float kIdentity = -INFINITY;  // not 0: all elements can be negative
  static __device__ float combine(float a, float b) { return fmaxf(a, b); }
};

// Combines the values of all 32 lanes; lane 0 gets the result. Registers only: no shared memory, no barrier,
// and no branch, because lanes whose results are not used compute them, too.
template <class Operation>
__device__ float reduce_warp(float value) {
  for (int offset = kWarpLanes / 2; offset >= 1; offset /= 2)
    value = Operation::combine(value, __shfl_down_sync(kAllLanes, value, offset));
  return value;
}

// Combines the values of all threads of a block; thread 0 gets the result. All threads must call it.
template <class Operation>
__device__ float reduce_block(float value) {
  __shared__ float of_warps[kWarpLanes];
  const int lane = threadIdx.x % kWarpLanes;
  const int warp = threadIdx.x / kWarpLanes;

  value = reduce_warp<Operation>(value);
  if (lane == 0) of_warps[warp] = value;
  __syncthreads();  // the only barrier: the results of all warps are available

  if (warp == 0) {
    const int warps = blockDim.x / kWarpLanes;
    value = reduce_warp<Operation>(lane < warps ? of_warps[lane] : Operation::kIdentity);
  }
  return value;
}

// Five exchanges and five additions: nothing else is executed by all lanes.
__device__ float sum_of_warp(float value) {
  asm("{ .reg .f32 other;"
      " shfl.sync.bfly.b32 other, %0, 16, 31, -1; add.f32 %0, %0, other;"
      " shfl.sync.bfly.b32 other, %0, 8, 31, -1; add.f32 %0, %0, other;"
      " shfl.sync.bfly.b32 other, %0, 4, 31, -1; add.f32 %0, %0, other;"
      " shfl.sync.bfly.b32 other, %0, 2, 31, -1; add.f32 %0, %0, other;"
      " shfl.sync.bfly.b32 other, %0, 1, 31, -1; add.f32 %0, %0, other; }"
      : "+f"(value));
  return value;
}

__global__ void block_sums_shuffle_kernel(const float* in, float* sums, int n) {
  __shared__ float of_warps[16];
  __shared__ float of_block;
  const int t = threadIdx.x, i = blockIdx.x * 512 + t;
  float sum = sum_of_warp(i < n ? __ldg(in + i) : 0.0f);
  if (t % 32 == 0) of_warps[t / 32] = sum;
  __syncthreads();
  if (t < 32) {
    sum = sum_of_warp(t < 16 ? of_warps[t] : 0.0f);
    if (t == 0) {
      of_block = sum;
      sums[blockIdx.x] = of_block;
    }
  }
}

void block_sums_shuffle(const float* d_in, float* d_sums, int n) {
  block_sums_shuffle_kernel<<<lab::ceil_div(n, kBlockThreads), kBlockThreads>>>(d_in, d_sums, n);
  CUDA_CHECK(cudaGetLastError());
}

// ---- D. Any n in two levels ----

constexpr int kReduceThreads = 256;
constexpr int kBlocksPerSm = 6;
constexpr int kMaxBlocks = 1024;
__device__ float partials[kMaxBlocks];  // one value for each block of the first level

// Every thread first combines elements that are a whole grid apart, so that neighbouring lanes still read
// neighbouring addresses. The tree follows only then, once for many elements.
template <class Operation>
__global__ void reduce_kernel(const float* in, float* out, int n) {
  const int threads = gridDim.x * blockDim.x;
  float value = Operation::kIdentity;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
    value = Operation::combine(value, in[i]);
  value = reduce_block<Operation>(value);
  if (threadIdx.x == 0) out[blockIdx.x] = value;
}

// Enough blocks to fill the device, never more than the elements need.
int blocks_for(int n) {
  int device = 0;
  int sms = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  const int most = sms * kBlocksPerSm < kMaxBlocks ? sms * kBlocksPerSm : kMaxBlocks;
  const int needed = lab::ceil_div(n, kReduceThreads);
  return needed < most ? needed : most;
}

template <class Operation>
void reduce(const float* d_in, float* d_out, int n) {
  float* d_partials = nullptr;
  CUDA_CHECK(cudaGetSymbolAddress((void**)&d_partials, partials));
  const int blocks = blocks_for(n);
  reduce_kernel<Operation><<<blocks, kReduceThreads>>>(d_in, d_partials, n);
  CUDA_CHECK(cudaGetLastError());
  // Kernels of one stream run one after the other, so all partial results are available.
  reduce_kernel<Operation><<<1, kReduceThreads>>>(d_partials, d_out, blocks);
  CUDA_CHECK(cudaGetLastError());
}

void reduce_sum(const float* d_in, float* d_sum, int n) { reduce<Sum>(d_in, d_sum, n); }

void reduce_max(const float* d_in, float* d_max, int n) { reduce<Max>(d_in, d_max, n); }

// ---- E. Bonus: count 6 ----

__global__ void six_votes_kernel(const int* in, int* counts, int* any, int* all, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool exists = i < n;
  const bool is_six = exists && in[i] == 6;

  // All lanes vote, also those without an element: they must neither count nor change "all".
  const int count = __popc(__ballot_sync(kAllLanes, is_six));
  const int any_six = __any_sync(kAllLanes, is_six);
  const int all_six = __all_sync(kAllLanes, !exists || is_six);

  if (exists && i % kWarpLanes == 0) {
    counts[i / kWarpLanes] = count;
    any[i / kWarpLanes] = any_six != 0;
    all[i / kWarpLanes] = all_six != 0;
  }
}

void six_votes(const int* d_in, int* d_counts, int* d_any, int* d_all, int n) {
  six_votes_kernel<<<lab::ceil_div(n, 256), 256>>>(d_in, d_counts, d_any, d_all, n);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void count_six_atomic_kernel(const int* in, int* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] == 6) atomicAdd(count, 1);  // lanes disagree wherever some of 32 elements are 6
}

void count_six_atomic(const int* d_in, int* d_count, int n) {
  CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof(int)));
  count_six_atomic_kernel<<<lab::ceil_div(n, 256), 256>>>(d_in, d_count, n);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void count_six_kernel(const int* in, int* count, int n) {
  const int threads = gridDim.x * blockDim.x;
  const int lane = threadIdx.x % kWarpLanes;
  int sixes = 0;  // equal in all lanes of a warp
  // `first` is the warp's, not the thread's, so that all lanes leave the loop together.
  for (int first = blockIdx.x * blockDim.x + threadIdx.x - lane; first < n; first += threads) {
    const int i = first + lane;
    sixes += __popc(__ballot_sync(kAllLanes, i < n && in[i] == 6));
  }
  if (lane == 0) atomicAdd(count, sixes);
}

void count_six(const int* d_in, int* d_count, int n) {
  CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof(int)));
  count_six_kernel<<<blocks_for(n), kReduceThreads>>>(d_in, d_count, n);
  CUDA_CHECK(cudaGetLastError());
}
