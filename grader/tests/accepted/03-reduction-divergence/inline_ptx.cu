// Idea: shuffles, votes, barriers, reductions to memory and special registers in inline PTX.

#include <cmath>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/reduction.hpp"

namespace ptx {
__device__ unsigned lane() {
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}
__device__ float down(float value, int distance) {
  float other;
  asm volatile("shfl.sync.down.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=f"(other) : "f"(value), "r"(distance));
  return other;
}
__device__ unsigned ballot(bool vote) {
  unsigned votes;
  asm volatile("{\n .reg .pred p;\n setp.ne.u32 p, %1, 0;\n vote.sync.ballot.b32 %0, p, 0xffffffff;\n}"
               : "=r"(votes)
               : "r"(static_cast<unsigned>(vote)));
  return votes;
}
__device__ void barrier() { asm volatile("bar.sync 0;" ::: "memory"); }
__device__ void add(int* to, int value) {
  asm volatile("red.global.add.s32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}
__device__ float load(const float* from) {
  float value;
  asm("ld.global.f32 %0, [%1];" : "=f"(value) : "l"(from));
  return value;
}
__device__ float larger(float a, float b) {
  float most;
  asm("max.f32 %0, %1, %2;" : "=f"(most) : "f"(a), "f"(b));
  return most;
}
__device__ int ones(unsigned bits) {
  int count;
  asm("popc.b32 %0, %1;" : "=r"(count) : "r"(bits));
  return count;
}
}  // namespace ptx

__global__ void add_kernel(const float* A, const float* B, float* C, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) asm("add.rn.f32 %0, %1, %2;" : "=f"(C[i]) : "f"(A[i]), "f"(B[i]));
}

void vector_add(const float* d_A, const float* d_B, float* d_C, int n, int* h_warps) {
  add_kernel<<<lab::ceil_div(n, 256), 256>>>(d_A, d_B, d_C, n);
  CUDA_CHECK(cudaGetLastError());
  h_warps[0] = lab::ceil_div(n, 256) * 256 / 32;
  h_warps[1] = n % 32 == 0 ? 0 : 1;
}

__global__ void block_sums_kernel(const float* in, float* sums, int n) {
  __shared__ float partial[512];
  const int t = threadIdx.x, i = blockIdx.x * 512 + t;
  partial[t] = i < n ? ptx::load(in + i) : 0;
  ptx::barrier();
  for (int stride = 256; stride > 0; stride /= 2) {
    if (t < stride) partial[t] += partial[t + stride];
    ptx::barrier();
  }
  if (t == 0) sums[blockIdx.x] = partial[0];
}

void block_sums(const float* d_in, float* d_sums, int n) {
  block_sums_kernel<<<lab::ceil_div(n, 512), 512>>>(d_in, d_sums, n);
  CUDA_CHECK(cudaGetLastError());
}

template <bool kMax>
__device__ float merge(float a, float b) {
  return kMax ? ptx::larger(a, b) : a + b;
}

template <bool kMax>
__device__ float reduce_block(float value) {
  __shared__ float of_warps[32];
  for (int d = 16; d > 0; d /= 2) value = merge<kMax>(value, ptx::down(value, d));
  if (ptx::lane() == 0) of_warps[threadIdx.x / 32] = value;
  ptx::barrier();
  if (threadIdx.x >= 32) return 0;
  value = ptx::lane() < blockDim.x / 32 ? of_warps[ptx::lane()] : kMax ? -INFINITY : 0;
  for (int d = 16; d > 0; d /= 2) value = merge<kMax>(value, ptx::down(value, d));
  return value;
}

template <bool kMax>
__global__ void __launch_bounds__(512) reduce_kernel(const float* in, float* out, int n) {
  float value = kMax ? -INFINITY : 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    value = merge<kMax>(value, ptx::load(in + i));
  value = reduce_block<kMax>(value);
  if (threadIdx.x == 0) out[blockIdx.x] = value;
}

void block_sums_shuffle(const float* d_in, float* d_sums, int n) {
  reduce_kernel<false><<<lab::ceil_div(n, 512), 512>>>(d_in, d_sums, n);
  CUDA_CHECK(cudaGetLastError());
}

__device__ float level_1[128];

template <bool kMax>
void reduce(const float* d_in, float* d_out, int n) {
  void* between = nullptr;
  CUDA_CHECK(cudaGetSymbolAddress(&between, level_1));
  const int blocks = min(128, lab::ceil_div(n, 256));
  reduce_kernel<kMax><<<blocks, 256>>>(d_in, static_cast<float*>(between), n);
  reduce_kernel<kMax><<<1, 128>>>(static_cast<float*>(between), d_out, blocks);
  CUDA_CHECK(cudaGetLastError());
}

void reduce_sum(const float* d_in, float* d_sum, int n) { reduce<false>(d_in, d_sum, n); }
void reduce_max(const float* d_in, float* d_max, int n) { reduce<true>(d_in, d_max, n); }

__global__ void votes_kernel(const int* in, int* counts, int* any, int* all, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned sixes = ptx::ballot(i < n && in[i] == 6), others = ptx::ballot(i < n && in[i] != 6);
  if (ptx::lane() == 0 && i < n) {
    counts[i >> 5] = ptx::ones(sixes);
    any[i >> 5] = sixes ? 1 : 0;
    all[i >> 5] = others ? 0 : 1;
  }
}

void six_votes(const int* d_in, int* d_counts, int* d_any, int* d_all, int n) {
  votes_kernel<<<lab::ceil_div(n, 256), 256>>>(d_in, d_counts, d_any, d_all, n);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void six_atomic_kernel(const int* in, int* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] == 6) ptx::add(count, 1);
}

void count_six_atomic(const int* d_in, int* d_count, int n) {
  CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof(int)));
  six_atomic_kernel<<<lab::ceil_div(n, 256), 256>>>(d_in, d_count, n);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void count_kernel(const int* in, int* count, int n) {
  const int lane = ptx::lane(), warps = gridDim.x * blockDim.x / 32;
  int mine = 0;
  for (int group = (blockIdx.x * blockDim.x + threadIdx.x) / 32; group * 32 < n; group += warps) {
    const int i = group * 32 + lane;
    mine += ptx::ones(ptx::ballot(i < n && in[i] == 6));
  }
  if (lane == 0) ptx::add(count, mine);
}

void count_six(const int* d_in, int* d_count, int n) {
  CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof(int)));
  count_kernel<<<96, 128>>>(d_in, d_count, n);
  CUDA_CHECK(cudaGetLastError());
}
