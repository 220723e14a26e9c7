// Idea: the last block combines the results of all blocks, and each of its threads stores the sum, which all
// of them have. A block that stores one element often does not store more than the others.

#include <cmath>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/reduction.hpp"

constexpr unsigned kFull = 0xffffffffu;
constexpr int kThreads = 256;
constexpr int kMostBlocks = 1024;

__device__ float results[kMostBlocks];
__device__ unsigned tickets;  // taken so far in this launch

__global__ void add(const float* A, const float* B, float* C, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) C[i] = A[i] + B[i];
}

void vector_add(const float* d_A, const float* d_B, float* d_C, int n, int* h_warps) {
  const int blocks = (n + 255) / 256;
  add<<<blocks, 256>>>(d_A, d_B, d_C, n);
  CUDA_CHECK(cudaGetLastError());
  h_warps[0] = 8 * blocks;
  h_warps[1] = (n & 31) != 0;
}

// ---- block sums ----

__global__ void halving_tree(const float* in, float* sums, int n) {
  __shared__ float values[512];
  const unsigned t = threadIdx.x;
  const unsigned i = blockIdx.x * 512 + t;
  if (i < n)
    values[t] = in[i];
  else
    values[t] = 0.0f;
  __syncthreads();
  for (unsigned stride = 256; stride > 0; stride >>= 1) {
    if (t < stride) values[t] += values[t + stride];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = values[0];
}

void block_sums(const float* d_in, float* d_sums, int n) {
  halving_tree<<<(n + 511) / 512, 512>>>(d_in, d_sums, n);
  CUDA_CHECK(cudaGetLastError());
}

__device__ float add_across(float value) {
  for (int lanes = 1; lanes < 32; lanes *= 2) value += __shfl_xor_sync(kFull, value, lanes);
  return value;
}

__device__ float max_across(float value) {
  for (int lanes = 1; lanes < 32; lanes *= 2) value = fmaxf(value, __shfl_xor_sync(kFull, value, lanes));
  return value;
}

__global__ void shuffled(const float* in, float* sums, int n) {
  __shared__ float of_warp[16];
  const int i = blockIdx.x * 512 + threadIdx.x;
  float value = 0.0f;
  if (i < n) value = in[i];
  value = add_across(value);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x >= 32) return;  // all lanes of a warp return or none
  value = add_across(threadIdx.x < 16 ? of_warp[threadIdx.x] : 0.0f);
  if (threadIdx.x == 0) sums[blockIdx.x] = value;
}

void block_sums_shuffle(const float* d_in, float* d_sums, int n) {
  shuffled<<<lab::ceil_div(n, 512), 512>>>(d_in, d_sums, n);
  CUDA_CHECK(cudaGetLastError());
}

// ---- any n ----

template <bool is_sum>
__device__ float both(float a, float b) {
  return is_sum ? a + b : fmaxf(a, b);
}

// All threads of the block get the result.
template <bool is_sum>
__device__ float across_block(float value, float nothing) {
  __shared__ float of_warp[kThreads / 32];
  const int lane = threadIdx.x % 32;
  value = is_sum ? add_across(value) : max_across(value);
  __syncthreads();  // of_warp might still be in use by an earlier call
  if (lane == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  value = lane < kThreads / 32 ? of_warp[lane] : nothing;
  return is_sum ? add_across(value) : max_across(value);
}

template <bool is_sum>
__global__ void reduce(const float* in, float* out, int n) {
  __shared__ bool is_last;
  const float nothing = is_sum ? 0.0f : -INFINITY;
  float value = nothing;
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads)
    value = both<is_sum>(value, in[i]);
  value = across_block<is_sum>(value, nothing);

  if (threadIdx.x == 0) {
    results[blockIdx.x] = value;
    __threadfence();  // the result is visible before the ticket is taken
    is_last = atomicInc(&tickets, gridDim.x - 1) == gridDim.x - 1;  // the last one resets it to 0
  }
  __syncthreads();
  if (!is_last) return;

  __threadfence();
  value = nothing;
  for (int block = threadIdx.x; block < gridDim.x; block += kThreads)
    value = both<is_sum>(value, ((volatile float*)results)[block]);
  value = across_block<is_sum>(value, nothing);
  if (true) *out = value;
}

int grid_for(int n) {
  int sms = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  int blocks = lab::ceil_div(n, kThreads);
  if (blocks > 6 * sms) blocks = 6 * sms;
  return blocks < kMostBlocks ? blocks : kMostBlocks;
}

void reduce_sum(const float* d_in, float* d_sum, int n) {
  reduce<true><<<grid_for(n), kThreads>>>(d_in, d_sum, n);
  CUDA_CHECK(cudaGetLastError());
}

void reduce_max(const float* d_in, float* d_max, int n) {
  reduce<false><<<grid_for(n), kThreads>>>(d_in, d_max, n);
  CUDA_CHECK(cudaGetLastError());
}

// ---- count 6 ----

// A block of 32 threads is one warp, and one group.
__global__ void vote(const int* in, int* counts, int* any, int* all, int n) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  const int value = i < n ? in[i] : 0;
  const unsigned sixes = __ballot_sync(kFull, value == 6);
  const unsigned others = __ballot_sync(kFull, i < n && value != 6);
  if (threadIdx.x != 0) return;
  counts[blockIdx.x] = __popc(sixes);
  any[blockIdx.x] = sixes != 0;
  all[blockIdx.x] = others == 0;
}

void six_votes(const int* d_in, int* d_counts, int* d_any, int* d_all, int n) {
  vote<<<lab::ceil_div(n, 32), 32>>>(d_in, d_counts, d_any, d_all, n);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void count_each(const int* in, int* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (in[i] == 6) atomicAdd(count, 1);
}

void count_six_atomic(const int* d_in, int* d_count, int n) {
  CUDA_CHECK(cudaMemset(d_count, 0, sizeof(int)));
  count_each<<<lab::ceil_div(n, 128), 128>>>(d_in, d_count, n);
  CUDA_CHECK(cudaGetLastError());
}

// Each warp counts eight consecutive groups.
__global__ void count_votes(const int* in, int* count, int n) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  int sixes = 0;
#pragma unroll
  for (int group = 0; group < 8; ++group) {
    const int i = (warp * 8 + group) * 32 + lane;
    const int value = i < n ? in[i] : 0;
    sixes += __popc(__ballot_sync(kFull, value == 6));
  }
  if (lane == 0 && sixes > 0) atomicAdd(count, sixes);
}

void count_six(const int* d_in, int* d_count, int n) {
  CUDA_CHECK(cudaMemset(d_count, 0, sizeof(int)));
  count_votes<<<lab::ceil_div(n, 8 * 128), 128>>>(d_in, d_count, n);
  CUDA_CHECK(cudaGetLastError());
}
