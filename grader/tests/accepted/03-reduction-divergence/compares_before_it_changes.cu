// Idea: the maximum is kept as a key in integers; a warp changes it only if its own is greater.

#include <cfloat>
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

static int how_many(int n) { return n > 96 * 256 ? 96 : lab::ceil_div(n, 256); }
__global__ void setup(float* out, float v) { *out = v; }
__global__ void sum_atomic(const float* d, float* out, int n) {
  float v = 0;
  for (int i = blockIdx.x * 512 + threadIdx.x; i < n; i += 512 * gridDim.x) v += d[i];
  v = whole_block(v, 0.f, Plus{});
  if (threadIdx.x == 0) atomicAdd(out, v);
}
__device__ float maxima[48];
__device__ __forceinline__ unsigned key(float f) {
  unsigned b = __float_as_uint(f);
  return b & 0x80000000u ? ~b : b | 0x80000000u;
}
__device__ __forceinline__ float unkey(unsigned k) {
  return __uint_as_float(k & 0x80000000u ? k & 0x7fffffffu : ~k);
}
__device__ unsigned best_key;
__global__ void max_clear() { best_key = 0; }
__global__ void max_keys(const float* d, int n) {
  unsigned k = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += 256 * gridDim.x) k = max(k, key(d[i]));
  k = __reduce_max_sync(~0u, k);
  if (threadIdx.x % 32 == 0 && k > *(volatile unsigned*)&best_key) atomicMax(&best_key, k);
}
__global__ void max_out(float* out) { *out = unkey(best_key); }
void reduce_sum(const float* d_in, float* d_sum, int n) {
  CUDA_CHECK(cudaMemsetAsync(d_sum, 0, 4));
  sum_atomic<<<(n > 48 * 512 ? 48 : lab::ceil_div(n, 512)), 512>>>(d_in, d_sum, n);
  CUDA_CHECK(cudaGetLastError());
}
void reduce_max(const float* d_in, float* d_max, int n) {
  max_clear<<<1, 1>>>();
  CUDA_CHECK(cudaGetLastError());
  max_keys<<<how_many(n), 256>>>(d_in, n);
  CUDA_CHECK(cudaGetLastError());
  max_out<<<1, 1>>>(d_max);
  CUDA_CHECK(cudaGetLastError());
}
__global__ void vote(const int* in, int* counts, int* any, int* all, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool six = i < n && in[i] == 6;
  const int c = __reduce_add_sync(~0u, six);
  const int e = __reduce_and_sync(~0u, i >= n || six), a = __reduce_or_sync(~0u, six);
  if ((threadIdx.x & 31) == 0 && i < n) {
    counts[i / 32] = c;
    any[i / 32] = a;
    all[i / 32] = e;
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
    found += __reduce_add_sync(0xffffffffu, v == 6 ? 1u : 0u);
  }
  if (lane == 0 && found) atomicAdd(count, found);
}

void count_six(const int* d_in, int* d_count, int n) {
  CUDA_CHECK(cudaMemset(d_count, 0, sizeof *d_count));
  vote_count<<<how_many(n), 256>>>(d_in, d_count, n);
  CUDA_CHECK(cudaGetLastError());
}
