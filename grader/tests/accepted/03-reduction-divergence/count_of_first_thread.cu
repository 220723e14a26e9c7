// Idea: the counts of a block's threads are added with a tree, and the first thread adds the block's only if
// it is above 0. The compiler loads the block's count in all threads.

#include <cfloat>
#include <climits>
#include <cmath>

#include <cooperative_groups.h>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/reduction.hpp"
namespace cg = cooperative_groups;

__global__ void plus_kernel(const float* p, const float* q, float* r, int n) {
  int g = blockIdx.x * 256 + threadIdx.x;
  if (g >= n) return;
  r[g] = p[g] + q[g];
}

void vector_add(const float* d_A, const float* d_B, float* d_C, int n, int* h_warps) {
  int blocks = (n + 255) >> 8;
  plus_kernel<<<blocks, 256>>>(d_A, d_B, d_C, n);
  CUDA_CHECK(cudaGetLastError());
  *h_warps++ = blocks << 3;
  *h_warps = (n & 31) ? 1 : 0;
}

__global__ void halving_tree(const float* data, float* out, int n) {
  __shared__ float s[512];
  const unsigned me = threadIdx.x;
  const int src = blockIdx.x * 512 + me;
  s[me] = 0.0f;
  if (src < n) s[me] = data[src];
  unsigned active = 256;
  do {
    __syncthreads();
    if (me < active) s[me] += s[me + active];
    active >>= 1;
  } while (active);
  if (!me) out[blockIdx.x] = *s;
}

void block_sums(const float* d_in, float* d_sums, int n) {
  halving_tree<<<(n - 1) / 512 + 1, 512>>>(d_in, d_sums, n);
  CUDA_CHECK(cudaGetLastError());
}

template <class Op>
__device__ float butterfly(float v, Op op) {
#pragma unroll
  for (int d = 1; d < 32; d <<= 1) v = op(v, __shfl_xor_sync(0xffffffff, v, d));
  return v;
}

template <class Op>
__device__ float whole_block(float v, float neutral, Op op) {
  __shared__ float slot[32];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  v = butterfly(v, op);
  if (lane == 31) slot[warp] = v;
  __syncthreads();
  if (warp) return v;
  v = neutral;
  if (lane < (blockDim.x >> 5)) v = slot[lane];
  return butterfly(v, op);
}

struct Plus {
  __device__ float operator()(float a, float b) const { return a + b; }
};
struct Larger {
  __device__ float operator()(float a, float b) const { return a > b ? a : b; }
};

__global__ void shuffle_sums(const float* data, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? data[i] : 0.f;
  v = whole_block(v, 0.f, Plus{});
  if (threadIdx.x == 0) out[blockIdx.x] = v;
}

void block_sums_shuffle(const float* d_in, float* d_sums, int n) {
  shuffle_sums<<<lab::ceil_div(n, 512), 512>>>(d_in, d_sums, n);
  CUDA_CHECK(cudaGetLastError());
}

// Last block done: one launch.
__device__ float level[128];
__device__ unsigned arrived;

template <class Op>
__global__ void one_pass(const float* data, float* out, int n, float neutral, Op op) {
  const cg::grid_group grid = cg::this_grid();
  float v = neutral;
  for (int i = grid.thread_rank(); i < n; i += grid.size()) v = op(v, data[i]);
  v = whole_block(v, neutral, op);
  __shared__ bool last;
  if (threadIdx.x == 0) {
    level[blockIdx.x] = v;
    __threadfence();
    last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  v = neutral;
  for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x) v = op(v, ((volatile float*)level)[i]);
  __syncthreads();
  v = whole_block(v, neutral, op);
  if (threadIdx.x == 0) *out = v;
}

static int how_many(int n) { return n > 96 * 256 ? 96 : lab::ceil_div(n, 256); }

void reduce_sum(const float* d_in, float* d_sum, int n) {
  one_pass<<<how_many(n), 256>>>(d_in, d_sum, n, 0.f, Plus{});
  CUDA_CHECK(cudaGetLastError());
}

void reduce_max(const float* d_in, float* d_max, int n) {
  one_pass<<<how_many(n), 256>>>(d_in, d_max, n, -FLT_MAX, Larger{});
  CUDA_CHECK(cudaGetLastError());
}

__global__ void vote(const int* in, int* counts, int* any, int* all, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned exist = __ballot_sync(~0u, i < n);
  const unsigned six = __ballot_sync(~0u, i < n && in[i] == 6);
  if (threadIdx.x % 32 == 0 && i < n) {
    counts[i >> 5] = __popc(six);
    any[i >> 5] = !!six;
    all[i >> 5] = six == exist;
  }
}

void six_votes(const int* d_in, int* d_counts, int* d_any, int* d_all, int n) {
  vote<<<lab::ceil_div(n, 128), 128>>>(d_in, d_counts, d_any, d_all, n);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void naive_count(const int* in, int* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (in[i] != 6) return;
  atomicAdd(count, 1);
}

void count_six_atomic(const int* d_in, int* d_count, int n) {
  CUDA_CHECK(cudaMemset(d_count, 0, sizeof *d_count));
  naive_count<<<lab::ceil_div(n, 256), 256>>>(d_in, d_count, n);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void vote_count(const int* in, int* count, int n) {
  const int warps = gridDim.x * (blockDim.x / 32);
  int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  int found = 0;
  for (; w * 32 < n; w += warps) {
    const int i = w * 32 + lane;
    const int v = i < n ? in[i] : 0;
    found += __popc(__ballot_sync(0xffffffffu, v == 6));
  }
  __shared__ int of_block[256];
  const int t = threadIdx.x;
  of_block[t] = lane == 0 ? found : 0;
  for (int h = 128; h > 0; h /= 2) {
    __syncthreads();
    if (t < h) of_block[t] += of_block[t + h];
  }
  if (t == 0 && of_block[0] > 0) atomicAdd(count, of_block[0]);
}

void count_six(const int* d_in, int* d_count, int n) {
  CUDA_CHECK(cudaMemset(d_count, 0, sizeof *d_count));
  vote_count<<<how_many(n), 256>>>(d_in, d_count, n);
  CUDA_CHECK(cudaGetLastError());
}
