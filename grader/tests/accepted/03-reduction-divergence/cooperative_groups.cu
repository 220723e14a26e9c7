// Idea: cooperative groups throughout: tiles of 32, cg::reduce, block groups, coalesced counts, grid ranks.

#include <cmath>

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/reduction.hpp"

namespace cg = cooperative_groups;
using Block = cg::thread_block;

__global__ void add_kernel(const float* A, const float* B, float* C, int n) {
  const auto i = cg::this_grid().thread_rank();
  if (i < n) C[i] = A[i] + B[i];
}

void vector_add(const float* d_A, const float* d_B, float* d_C, int n, int* h_warps) {
  add_kernel<<<lab::ceil_div(n, 256), 256>>>(d_A, d_B, d_C, n);
  CUDA_CHECK(cudaGetLastError());
  h_warps[0] = lab::ceil_div(n, 256) * 8;
  h_warps[1] = (n & 31) != 0;
}

__global__ void tree_kernel(const float* in, float* sums, int n) {
  __shared__ float partial[512];
  const Block block = cg::this_thread_block();
  const unsigned t = block.thread_rank();
  const int i = block.group_index().x * 512 + t;
  partial[t] = i < n ? in[i] : 0;
#pragma unroll
  for (unsigned stride = 256; stride > 0; stride >>= 1) {
    block.sync();
    if (t < stride) partial[t] += partial[t + stride];
  }
  if (t == 0) sums[block.group_index().x] = partial[0];
}

void block_sums(const float* d_in, float* d_sums, int n) {
  tree_kernel<<<lab::ceil_div(n, 512), 512>>>(d_in, d_sums, n);
  CUDA_CHECK(cudaGetLastError());
}

// Combines a value of each thread of the block; the first warp gets the result.
template <class Operation>
__device__ float combine(const Block& block, float value, float neutral, Operation operation) {
  __shared__ float shared[32];
  const auto warp = cg::tiled_partition<32>(block);
  value = cg::reduce(warp, value, operation);
  if (warp.thread_rank() == 0) shared[warp.meta_group_rank()] = value;
  block.sync();
  if (warp.meta_group_rank() == 0)
    value = cg::reduce(
        warp, warp.thread_rank() < warp.meta_group_size() ? shared[warp.thread_rank()] : neutral, operation);
  return value;
}

template <class Operation>
__global__ void reduce_kernel(const float* in, float* out, int n, float neutral) {
  const auto grid = cg::this_grid();
  const Block block = cg::this_thread_block();
  float value = neutral;
  for (long long i = grid.thread_rank(); i < n; i += grid.size()) value = Operation()(value, in[i]);
  value = combine(block, value, neutral, Operation());
  if (block.thread_rank() == 0) out[blockIdx.x] = value;
}

void block_sums_shuffle(const float* d_in, float* d_sums, int n) {
  reduce_kernel<cg::plus<float>><<<lab::ceil_div(n, 512), 512>>>(d_in, d_sums, n, 0.0f);
  CUDA_CHECK(cudaGetLastError());
}

template <class Operation>
void in_two_levels(const float* d_in, float* d_out, int n, float neutral) {
  float* d_partials = nullptr;
  const int blocks = n < 64 * 512 ? lab::ceil_div(n, 512) : 64;
  CUDA_CHECK(cudaMallocAsync(&d_partials, blocks * sizeof(float), 0));
  reduce_kernel<Operation><<<blocks, 512>>>(d_in, d_partials, n, neutral);
  reduce_kernel<Operation><<<1, 64>>>(d_partials, d_out, blocks, neutral);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaFreeAsync(d_partials, 0));
}

void reduce_sum(const float* d_in, float* d_sum, int n) { in_two_levels<cg::plus<float>>(d_in, d_sum, n, 0); }
void reduce_max(const float* d_in, float* d_max, int n) {
  in_two_levels<cg::greater<float>>(d_in, d_max, n, -INFINITY);
}

__global__ void votes_kernel(const int* in, int* counts, int* any, int* all, int n) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int is_six = i < n && in[i] == 6;
  const int count = cg::reduce(warp, is_six, cg::plus<int>());
  const int yes = warp.any(is_six), only = warp.all(i >= n || is_six);
  if (warp.thread_rank() != 0 || i >= n) return;
  counts[i / 32] = count;
  any[i / 32] = yes ? 1 : 0;
  all[i / 32] = only ? 1 : 0;
}

void six_votes(const int* d_in, int* d_counts, int* d_any, int* d_all, int n) {
  votes_kernel<<<lab::ceil_div(n, 128), 128>>>(d_in, d_counts, d_any, d_all, n);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void atomic_kernel(const int* in, int* count, int n) {
  const auto i = cg::this_grid().thread_rank();
  if (i < n && in[i] == 6) atomicAdd(count, 1);
}

void count_six_atomic(const int* d_in, int* d_count, int n) {
  CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof *d_count));
  atomic_kernel<<<lab::ceil_div(n, 256), 256>>>(d_in, d_count, n);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void count_kernel(const int* in, int* count, int n) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int step = gridDim.x * blockDim.x;
  int mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < lab::ceil_div(n, 32) * 32; i += step)
    mine += __popc(warp.ballot(i < n && in[i] == 6));
  if (warp.thread_rank() == 0) atomicAdd(count, mine);
}

void count_six(const int* d_in, int* d_count, int n) {
  CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof *d_count));
  count_kernel<<<64, 256>>>(d_in, d_count, n);
  CUDA_CHECK(cudaGetLastError());
}
