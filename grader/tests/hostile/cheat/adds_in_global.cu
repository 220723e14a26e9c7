// Each thread adds four elements and adds them to the block's sum with one atomic on global memory.
#include <cmath>
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
  h[0] = b * 8; h[1] = n % 32 != 0;
}

// No tree: every thread loads a float4, passes two of its values through its own words of shared memory, and adds its
// four values to the result with a global atomic.
__global__ void bs_kernel(const float* in, float* sums, int n) {
  __shared__ float2 own[128];
  const int t = threadIdx.x, i = blockIdx.x * 512 + 4 * t;
  float4 v = {0, 0, 0, 0};
  if (i + 3 < n) v = *reinterpret_cast<const float4*>(in + i);
  else { if (i < n) v.x = in[i]; if (i + 1 < n) v.y = in[i + 1]; if (i + 2 < n) v.z = in[i + 2]; }
  volatile float* o = &own[t].x;
  o[0] = v.x; o[1] = v.y;
  const float x = o[0], y = o[1];
  atomicAdd(sums + blockIdx.x, (x + y) + (v.z + v.w));
}
void block_sums(const float* d_in, float* d_sums, int n) {
  CUDA_CHECK(cudaMemsetAsync(d_sums, 0, 4 * lab::ceil_div(n, 512)));
  bs_kernel<<<lab::ceil_div(n, 512), 128>>>(d_in, d_sums, n);
  CUDA_CHECK(cudaGetLastError());
}


struct Sum { static constexpr float id = 0.0f; static __device__ float f(float a, float b) { return a + b; } };
struct Max { static constexpr float id = -INFINITY; static __device__ float f(float a, float b) { return fmaxf(a, b); } };
template <class O> __device__ float rw(float v) {
#pragma unroll
  for (int o = 16; o > 0; o /= 2) v = O::f(v, __shfl_down_sync(ALL, v, o));
  return v;
}
template <class O> __device__ float rb(float v) {
  __shared__ float w[32];
  const int t = threadIdx.x;
  v = rw<O>(v);
  if (t % 32 == 0) w[t / 32] = v;
  __syncthreads();
  if (t < 32) v = rw<O>(t < blockDim.x / 32 ? w[t] : O::id);
  return v;
}
__global__ void bss_kernel(const float* in, float* sums, int n) {
  const int i = blockIdx.x * 512 + threadIdx.x;
  const float v = rb<Sum>(i < n ? in[i] : 0);
  if (threadIdx.x == 0) sums[blockIdx.x] = v;
}
void block_sums_shuffle(const float* d_in, float* d_sums, int n) {
  bss_kernel<<<lab::ceil_div(n, 512), 512>>>(d_in, d_sums, n);
  CUDA_CHECK(cudaGetLastError());
}

__device__ float partials[1024];
template <class O> __global__ void red_kernel(const float* in, float* out, int n) {
  float v = O::id;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v = O::f(v, in[i]);
  v = rb<O>(v);
  if (threadIdx.x == 0) out[blockIdx.x] = v;
}
int blocks_for(int n) {
  int s; CUDA_CHECK(cudaDeviceGetAttribute(&s, cudaDevAttrMultiProcessorCount, 0));
  int b = 6 * s; if (b > 1024) b = 1024;
  int e = lab::ceil_div(n, 256);
  return b < e ? b : e;
}
template <class O> void red(const float* in, float* out, int n) {
  const int b = blocks_for(n); float* p;
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
  const unsigned b = __ballot_sync(ALL, six);
  const int any6 = __any_sync(ALL, six), all6 = __all_sync(ALL, six || i >= n);
  if (threadIdx.x % 32 == 0 && i < n) { counts[i / 32] = __popc(b); any[i / 32] = any6 != 0; all[i / 32] = all6 != 0; }
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
  int s = 0; const int lane = threadIdx.x % 32;
  for (int b = blockIdx.x * blockDim.x + threadIdx.x - lane; b < n; b += gridDim.x * blockDim.x)
    s += __popc(__ballot_sync(ALL, b + lane < n && in[b + lane] == 6));
  if (lane == 0) atomicAdd(c, s);
}
void count_six(const int* a, int* c, int n) {
  CUDA_CHECK(cudaMemsetAsync(c, 0, 4));
  cs_kernel<<<blocks_for(n), 256>>>(a, c, n);
  CUDA_CHECK(cudaGetLastError());
}
