// Idea: a tree on integer bits, cooperative groups' reduce, pairs of floats in one shuffle.
#include <cmath>

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/reduction.hpp"
constexpr unsigned ALL = 0xffffffffu;
__global__ void add_kernel(const float* A, const float* B, float* C, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) C[i] = A[i] + B[i];
}
void vector_add(const float* A, const float* B, float* C, int n, int* h) {
  const int b = lab::ceil_div(n, 256);
  add_kernel<<<b, 256>>>(A, B, C, n);
  CUDA_CHECK(cudaGetLastError());
  h[0] = b * 8;
  h[1] = n % 32 != 0;
}

// contiguous tree on bit patterns, two elements per thread, cooperative groups
namespace cg = cooperative_groups;
__global__ void bs_kernel(const float* in, float* sums, int n) {
  __shared__ unsigned p[256];
  const cg::thread_block block = cg::this_thread_block();
  const int t = block.thread_rank(), i = blockIdx.x * 512 + t;
  p[t] = __float_as_uint((i < n ? in[i] : 0) + (i + 256 < n ? in[i + 256] : 0));
  for (int s = 128; s > 0; s /= 2) {
    block.sync();
    if (t < s) p[t] = __float_as_uint(__uint_as_float(p[t]) + __uint_as_float(p[t + s]));
  }
  if (t == 0) sums[blockIdx.x] = __uint_as_float(p[0]);
}
void block_sums(const float* d_in, float* d_sums, int n) {
  bs_kernel<<<lab::ceil_div(n, 512), 256>>>(d_in, d_sums, n);
  CUDA_CHECK(cudaGetLastError());
}

struct Sum {
  static constexpr float id = 0.0f;
  static __device__ float f(float a, float b) { return a + b; }
};
struct Max {
  static constexpr float id = -INFINITY;
  static __device__ float f(float a, float b) { return fmaxf(a, b); }
};
template <class O>
__device__ float rw(float v) {
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  return cg::reduce(tile, v, [](float a, float b) { return O::f(a, b); });
}
template <class O>
__device__ float rb(float v) {
  __shared__ float w[32];
  const int t = threadIdx.x;
  v = rw<O>(v);
  if (t % 32 == 0) w[t / 32] = v;
  __syncthreads();
  if (t < 32) v = rw<O>(t < blockDim.x / 32 ? w[t] : O::id);
  return v;
}
// Two sums of a thread travel as a float2 in one 64-bit shuffle
__global__ void bss_kernel(const float* in, float* sums, int n) {
  __shared__ float2 w[8];
  const int t = threadIdx.x, i = blockIdx.x * 512 + t;
  union Pair {
    float2 f;
    unsigned long long u;
  } v, o;
  v.f = make_float2(i < n ? in[i] : 0, i + 256 < n ? in[i + 256] : 0);
#pragma unroll
  for (int d = 16; d > 0; d /= 2) {
    o.u = __shfl_xor_sync(ALL, v.u, d);
    v.f.x += o.f.x;
    v.f.y += o.f.y;
  }
  if (t % 32 == 0) w[t / 32] = v.f;
  __syncthreads();
  if (t < 32) {
    v.f = t < 8 ? w[t] : make_float2(0, 0);
#pragma unroll
    for (int d = 4; d > 0; d /= 2) {
      o.u = __shfl_xor_sync(ALL, v.u, d);
      v.f.x += o.f.x;
      v.f.y += o.f.y;
    }
    if (t == 0) sums[blockIdx.x] = v.f.x + v.f.y;
  }
}
void block_sums_shuffle(const float* d_in, float* d_sums, int n) {
  bss_kernel<<<lab::ceil_div(n, 512), 256>>>(d_in, d_sums, n);
  CUDA_CHECK(cudaGetLastError());
}

__device__ float partials[1024];
template <class O>
__global__ void red_kernel(const float* in, float* out, int n) {
  float v = O::id;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v = O::f(v, in[i]);
  v = rb<O>(v);
  if (threadIdx.x == 0) out[blockIdx.x] = v;
}
int blocks_for(int n) {
  int s;
  CUDA_CHECK(cudaDeviceGetAttribute(&s, cudaDevAttrMultiProcessorCount, 0));
  int b = 6 * s;
  if (b > 1024) b = 1024;
  int e = lab::ceil_div(n, 256);
  return b < e ? b : e;
}
template <class O>
void red(const float* in, float* out, int n) {
  const int b = blocks_for(n);
  float* p;
  CUDA_CHECK(cudaGetSymbolAddress((void**)&p, partials));
  red_kernel<O><<<b, 256>>>(in, p, n);
  red_kernel<O><<<1, 256>>>(p, out, b);
  CUDA_CHECK(cudaGetLastError());
}
void reduce_sum(const float* a, float* b, int n) { red<Sum>(a, b, n); }
void reduce_max(const float* a, float* b, int n) { red<Max>(a, b, n); }
__global__ void sv_kernel(const int* in, int* counts, int* any, int* all, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const bool six = i < n && in[i] == 6;
  const int c = __reduce_add_sync(ALL, six ? 1 : 0);
  if (threadIdx.x % 32 == 0 && i < n) {
    counts[i / 32] = c;
    any[i / 32] = c > 0;
    all[i / 32] = c == min(32, n - i);
  }
}
void six_votes(const int* a, int* c, int* any, int* all, int n) {
  sv_kernel<<<lab::ceil_div(n, 256), 256>>>(a, c, any, all, n);
  CUDA_CHECK(cudaGetLastError());
}
__global__ void ca_kernel(const int* in, int* c, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n && in[i] == 6) atomicAdd(c, 1);
}
void count_six_atomic(const int* a, int* c, int n) {
  CUDA_CHECK(cudaMemsetAsync(c, 0, 4));
  ca_kernel<<<lab::ceil_div(n, 256), 256>>>(a, c, n);
  CUDA_CHECK(cudaGetLastError());
}
__global__ void cs_kernel(const int* in, int* c, int n) {
  int s = 0;
  const int lane = threadIdx.x % 32;
  for (int b = blockIdx.x * blockDim.x + threadIdx.x - lane; b < n; b += gridDim.x * blockDim.x)
    s += __popc(__ballot_sync(ALL, b + lane < n && in[b + lane] == 6));
  if (lane == 0) atomicAdd(c, s);
}
void count_six(const int* a, int* c, int n) {
  CUDA_CHECK(cudaMemsetAsync(c, 0, 4));
  cs_kernel<<<blocks_for(n), 256>>>(a, c, n);
  CUDA_CHECK(cudaGetLastError());
}
