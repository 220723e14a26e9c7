// The baseline of 03-reduction-divergence: the lecture's interleaved tree, one element per thread, level
// after level until one value remains. In each of its first five steps every warp diverges.
#include <math.h>

#include "lab/reduction.hpp"

constexpr int kBlockThreads = 512;
constexpr int kMaxPartials = (1 << 26) / kBlockThreads;
__device__ float partials[2][kMaxPartials];  // one level is read while the next is written

namespace {

int blocks_for(int n, int threads) { return (n + threads - 1) / threads; }

struct Sum {
  static constexpr float kIdentity = 0.0F;
  static __device__ float combine(float a, float b) { return a + b; }
};
struct Max {
  static constexpr float kIdentity = -INFINITY;
  static __device__ float combine(float a, float b) { return fmaxf(a, b); }
};

template <class Operation>
__global__ void interleaved_tree(const float* in, float* out, int n) {
  __shared__ float partial[kBlockThreads];
  const int t = static_cast<int>(threadIdx.x);
  const int i = static_cast<int>(blockIdx.x) * kBlockThreads + t;
  partial[t] = i < n ? in[i] : Operation::kIdentity;
  for (int stride = 1; stride < kBlockThreads; stride *= 2) {
    __syncthreads();
    if (t % (2 * stride) == 0) partial[t] = Operation::combine(partial[t], partial[t + stride]);
  }
  if (t == 0) out[blockIdx.x] = partial[0];
}

template <class Operation>
void reduce(const float* d_in, float* d_out, int n) {
  float* levels = nullptr;
  cudaGetSymbolAddress(reinterpret_cast<void**>(&levels), partials);
  for (int level = 0; n > 1 || level == 0; ++level) {
    const int blocks = blocks_for(n, kBlockThreads);
    float* out = blocks == 1 ? d_out : levels + (level % 2) * kMaxPartials;
    interleaved_tree<Operation><<<blocks, kBlockThreads>>>(d_in, out, n);
    d_in = out;
    n = blocks;
  }
}

/// Even threads add two elements each, so the branch divides every warp.
__global__ void add_pairs(const float* A, const float* B, float* C, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i % 2 != 0) return;
  if (i < n) C[i] = A[i] + B[i];
  if (i + 1 < n) C[i + 1] = A[i + 1] + B[i + 1];
}

__global__ void votes_one_by_one(const int* in, int* counts, int* any, int* all, int n) {
  const int group = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int first = group * 32;
  if (first >= n) return;
  const int end = min(first + 32, n);
  int sixes = 0;
  for (int i = first; i < end; ++i)
    if (in[i] == 6) ++sixes;
  counts[group] = sixes;
  any[group] = sixes > 0 ? 1 : 0;
  all[group] = sixes == end - first ? 1 : 0;
}

__global__ void count_groups(const int* in, int* count, int n) {
  const int first = 32 * static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  int sixes = 0;
  for (int i = first; i < min(first + 32, n); ++i) sixes += in[i] == 6 ? 1 : 0;
  if (sixes > 0) atomicAdd(count, sixes);
}

__global__ void count_each(const int* in, int* count, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n && in[i] == 6) atomicAdd(count, 1);
}

}  // namespace

void vector_add(const float* d_A, const float* d_B, float* d_C, int n, int* h_warps) {
  add_pairs<<<blocks_for(n, 1024), 1024>>>(d_A, d_B, d_C, n);  // misses the objective on block_threads
  h_warps[0] = blocks_for(n, 256) * 8;
  h_warps[1] = n % 32 != 0 ? 1 : 0;
}

void block_sums(const float* d_in, float* d_sums, int n) {
  interleaved_tree<Sum><<<blocks_for(n, kBlockThreads), kBlockThreads>>>(d_in, d_sums, n);
}
void block_sums_shuffle(const float* d_in, float* d_sums, int n) { block_sums(d_in, d_sums, n); }

void reduce_sum(const float* d_in, float* d_sum, int n) { reduce<Sum>(d_in, d_sum, n); }
void reduce_max(const float* d_in, float* d_max, int n) { reduce<Max>(d_in, d_max, n); }

void six_votes(const int* d_in, int* d_counts, int* d_any, int* d_all, int n) {
  votes_one_by_one<<<blocks_for(blocks_for(n, 32), 256), 256>>>(d_in, d_counts, d_any, d_all, n);
}

void count_six_atomic(const int* d_in, int* d_count, int n) {
  cudaMemsetAsync(d_count, 0, sizeof(int));
  // One addition for 32 elements misses the objective, which requires one for each 6.
  count_groups<<<blocks_for(blocks_for(n, 32), 256), 256>>>(d_in, d_count, n);
}
void count_six(const int* d_in, int* d_count, int n) {
  cudaMemsetAsync(d_count, 0, sizeof(int));
  count_each<<<blocks_for(n, 256), 256>>>(d_in, d_count, n);
}
