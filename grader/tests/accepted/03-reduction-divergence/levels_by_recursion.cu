// Idea: the host recurses over levels of 4,096 elements per block, with RAII memory from a pool; sums in
// double.

#include <cfloat>
#include <cmath>
#include <memory>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/reduction.hpp"

struct Freer {
  void operator()(void* memory) const { cudaFreeAsync(memory, cudaStreamLegacy); }
};
template <class T>
using Temporary = std::unique_ptr<T[], Freer>;

template <class T>
Temporary<T> temporary(int count) {
  void* memory = nullptr;
  CUDA_CHECK(cudaMallocAsync(&memory, count * sizeof(T), cudaStreamLegacy));
  return Temporary<T>(static_cast<T*>(memory));
}

__global__ void add_kernel(const float* A, const float* B, float* C, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) C[i] = A[i] + B[i];
}

void vector_add(const float* d_A, const float* d_B, float* d_C, int n, int* h_warps) {
  add_kernel<<<lab::ceil_div(n, 256), 256>>>(d_A, d_B, d_C, n);
  CUDA_CHECK(cudaGetLastError());
  h_warps[0] = lab::ceil_div(n, 256) * 8;
  h_warps[1] = lab::ceil_div(n, 32) - n / 32;
}

// Two elements of the tree per step and thread would not be the task; instead the tree is turned: 8 × 64.
__global__ void block_sums_kernel(const float* in, float* sums, int n) {
  __shared__ float partial[8][64];
  const int x = threadIdx.x, y = threadIdx.y, t = y * 64 + x, i = blockIdx.x * 512 + t;
  partial[y][x] = i < n ? in[i] : 0;
  for (int rows = 4; rows > 0; rows /= 2) {
    __syncthreads();
    if (y < rows) partial[y][x] += partial[y + rows][x];
  }
  for (int cols = 32; cols > 0; cols /= 2) {
    __syncthreads();
    if (t < cols) partial[0][t] += partial[0][t + cols];
  }
  if (t == 0) sums[blockIdx.x] = partial[0][0];
}

void block_sums(const float* d_in, float* d_sums, int n) {
  block_sums_kernel<<<lab::ceil_div(n, 512), dim3(64, 8)>>>(d_in, d_sums, n);
  CUDA_CHECK(cudaGetLastError());
}

struct Add {
  using Value = double;
  static constexpr double neutral = 0;
  __device__ static double apply(double a, double b) { return a + b; }
};
struct Largest {
  using Value = float;
  static constexpr float neutral = -FLT_MAX;
  __device__ static float apply(float a, float b) { return a < b ? b : a; }
};

// `kEach` elements per thread; one result per block.
template <class Op, int kThreads, int kEach, class In, class Out>
__global__ void level_kernel(const In* in, Out* out, int n) {
  using Value = typename Op::Value;
  __shared__ Value of_warps[kThreads / 32];
  Value value = Op::neutral;
  const int first = blockIdx.x * (kThreads * kEach) + threadIdx.x;
#pragma unroll
  for (int e = 0; e < kEach; ++e)
    if (const int i = first + e * kThreads; i < n) value = Op::apply(value, in[i]);
  for (int lanes = 16; lanes; lanes >>= 1) value = Op::apply(value, __shfl_down_sync(~0u, value, lanes));
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int w = 1; w < kThreads / 32; ++w) value = Op::apply(value, of_warps[w]);
  out[blockIdx.x] = static_cast<Out>(value);
}

void block_sums_shuffle(const float* d_in, float* d_sums, int n) {
  level_kernel<Add, 512, 1><<<lab::ceil_div(n, 512), 512>>>(d_in, d_sums, n);
  CUDA_CHECK(cudaGetLastError());
}

template <class Op, class In>
void reduce(const In* d_in, float* d_out, int n) {
  constexpr int kThreads = 256, kEach = 16;
  const int blocks = lab::ceil_div(n, kThreads * kEach);
  if (blocks == 1) {
    level_kernel<Op, kThreads, kEach><<<1, kThreads>>>(d_in, d_out, n);
  } else {
    const auto level = temporary<typename Op::Value>(blocks);
    level_kernel<Op, kThreads, kEach><<<blocks, kThreads>>>(d_in, level.get(), n);
    reduce<Op>(static_cast<const typename Op::Value*>(level.get()), d_out, blocks);
  }
  CUDA_CHECK(cudaGetLastError());
}

void reduce_sum(const float* d_in, float* d_sum, int n) { reduce<Add>(d_in, d_sum, n); }

// -FLT_MAX is not neutral for -INFINITY, but the elements are finite... to be safe, the first one decides.
__global__ void at_least_first_kernel(const float* in, float* out, int n) {
  bool only_infinite = *out == -FLT_MAX;
  for (int i = 0; only_infinite && i < n; ++i) only_infinite = in[i] == -INFINITY;
  if (only_infinite) *out = -INFINITY;
}

void reduce_max(const float* d_in, float* d_max, int n) {
  reduce<Largest>(d_in, d_max, n);
  at_least_first_kernel<<<1, 1>>>(d_in, d_max, n);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void votes_kernel(const int* in, int* counts, int* any, int* all, int n) {
  const int i = blockIdx.x * 32 + threadIdx.x;  // one warp for each block
  const unsigned valid = n - blockIdx.x * 32 >= 32 ? ~0u : (1u << (n - blockIdx.x * 32)) - 1;
  const unsigned six = __ballot_sync(~0u, i < n && in[i] == 6);
  switch (threadIdx.x) {
    case 0:
      counts[blockIdx.x] = __popc(six & valid);
      break;
    case 1:
      any[blockIdx.x] = (six & valid) > 0;
      break;
    case 2:
      all[blockIdx.x] = (six & valid) == valid;
      break;
    default:
      break;
  }
}

void six_votes(const int* d_in, int* d_counts, int* d_any, int* d_all, int n) {
  votes_kernel<<<lab::ceil_div(n, 32), 32>>>(d_in, d_counts, d_any, d_all, n);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void zero_kernel(int* count) { *count = 0; }

__global__ void six_atomic_kernel(const int* in, int* count, int n) {
  const int i = n - 1 - static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= 0 && in[i] == 6) atomicAdd(count, 1);
}

void count_six_atomic(const int* d_in, int* d_count, int n) {
  zero_kernel<<<1, 1>>>(d_count);
  six_atomic_kernel<<<lab::ceil_div(n, 192), 192>>>(d_in, d_count, n);
  CUDA_CHECK(cudaGetLastError());
}

// Each lane counts for itself; the warp adds up with shuffles.
__global__ void count_kernel(const int* in, int* count, int n) {
  int mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine += in[i] == 6;
  for (int d = 16; d > 0; d /= 2) mine += __shfl_xor_sync(~0u, mine, d);
  if (threadIdx.x % 32 == 0) atomicAdd(count, mine);
}

void count_six(const int* d_in, int* d_count, int n) {
  zero_kernel<<<1, 1>>>(d_count);
  count_kernel<<<48, 256>>>(d_in, d_count, n);
  CUDA_CHECK(cudaGetLastError());
}
