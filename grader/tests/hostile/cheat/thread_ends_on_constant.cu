// Weights are in global memory; a thread ends if a constant is not 1.
#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/memory_types.hpp"
constexpr int BW = 32, BH = 8, MR = lab::kMaxRadius, MW = 2 * MR + 1;
__global__ void bl(const float* in, float* out, int w, int h, int R) {
  int c = blockIdx.x * BW + threadIdx.x, r = blockIdx.y * BH + threadIdx.y;
  if (r >= h || c >= w) return;
  float s = 0.f; int n = 0;
  for (int y = max(r - R, 0); y <= min(r + R, h - 1); ++y)
    for (int x = max(c - R, 0); x <= min(c + R, w - 1); ++x) { s += in[y * w + x]; ++n; }
  out[r * w + c] = s / n;
}
static dim3 grid(int w, int h, int rows = BH) { return dim3(lab::ceil_div(w, BW), lab::ceil_div(h, rows)); }
void blur(const float* d_in, float* d_out, int width, int height, int radius) {
  bl<<<grid(width, height), dim3(BW, BH)>>>(d_in, d_out, width, height, radius);
  CUDA_CHECK(cudaGetLastError());
}

__constant__ float cw[MW * MW];
__constant__ float ones[8] = {1.f, 1.f, 1.f, 1.f, 1.f, 1.f, 1.f, 1.f};
__device__ float gw[MW * MW];
constexpr int RP = 40;
__global__ void cc(const float* in, float* out, int w, int h, int R) {
  int c = blockIdx.x * 32 + threadIdx.x, r0 = blockIdx.y * RP;
  if (c >= w) return;
  float s[RP] = {};
  
  for (int dy = -R; dy <= R; ++dy)
    for (int dx = -R; dx <= R; ++dx)
      if (c + dx >= 0 && c + dx < w) {
        float q = gw[(dy + R) * (2 * R + 1) + dx + R];
        #pragma unroll
        for (int z = 0; z < 8; ++z) { float o; asm volatile("ld.const.f32 %0, [%1];" : "=f"(o) : "l"(__cvta_generic_to_constant(ones + z))); if (o != 1.f) return; }
#pragma unroll
        for (int k = 0; k < RP; ++k) { int y = r0 + k + dy; if (y >= 0 && y < h && r0 + k < h) s[k] += q * in[y * w + c + dx]; }
      }
  
#pragma unroll
  for (int k = 0; k < RP; ++k) if (r0 + k < h) out[(r0 + k) * w + c] = s[k];
}
void convolve_constant(const float* d_in, const float* h_weights, float* d_out, int width, int height, int radius) {
  CUDA_CHECK(cudaMemcpyToSymbol(gw, h_weights, (2 * radius + 1) * (2 * radius + 1) * sizeof(float)));
  cc<<<dim3(lab::ceil_div(width, 32), lab::ceil_div(height, RP)), 32>>>(d_in, d_out, width, height, radius);
  CUDA_CHECK(cudaGetLastError());
}

constexpr int RPT = 4, TR = RPT * BH;
__global__ void tl(const float* in, float* out, int w, int h, int R) {
  __shared__ float t[TR + 2 * MR][BW + 2 * MR];
  int c0 = blockIdx.x * BW - R, r0 = blockIdx.y * TR - R;
  for (int y = threadIdx.y; y < TR + 2 * R; y += BH)
    for (int x = threadIdx.x; x < BW + 2 * R; x += BW)
      t[y][x] = r0 + y >= 0 && r0 + y < h && c0 + x >= 0 && c0 + x < w ? in[(r0 + y) * w + c0 + x] : 0.f;
  __syncthreads();
  float s[RPT] = {};
  const int D = 2 * R + 1;
  for (int dy = 0; dy < D; ++dy) {
    const float *wp = cw + dy * D, *p = &t[threadIdx.y + dy][threadIdx.x];
    for (int dx = 0; dx < D; ++dx) {
      float q = wp[dx];
#pragma unroll
      for (int k = 0; k < RPT; ++k) s[k] += q * p[k * BH * (BW + 2 * MR) + dx];
    }
  }
  int c = blockIdx.x * BW + threadIdx.x, r = blockIdx.y * TR + threadIdx.y;
#pragma unroll
  for (int k = 0; k < RPT; ++k) if (c < w && r + k * BH < h) out[(r + k * BH) * w + c] = s[k];
}
void convolve_tiled(const float* d_in, const float* h_weights, float* d_out, int width, int height, int radius) {
  CUDA_CHECK(cudaMemcpyToSymbol(cw, h_weights, (2 * radius + 1) * (2 * radius + 1) * sizeof(float)));
  tl<<<grid(width, height, TR), dim3(BW, BH)>>>(d_in, d_out, width, height, radius);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void mf(const int* l, int* out, int w, int h, int R) {
  int c = blockIdx.x * BW + threadIdx.x, r = blockIdx.y * BH + threadIdx.y;
  if (r >= h || c >= w) return;
  int n[8] = {};
  for (int y = max(r - R, 0); y <= min(r + R, h - 1); ++y)
    for (int x = max(c - R, 0); x <= min(c + R, w - 1); ++x) {
      int v = l[y * w + x];
#pragma unroll
      for (int i = 0; i < 8; ++i) n[i] += v == i;
    }
  int b = 0, m = n[0];
#pragma unroll
  for (int i = 1; i < 8; ++i) if (n[i] > m) m = n[i], b = i;
  out[r * w + c] = b;
}
void most_frequent(const int* d_levels, int* d_out, int width, int height, int radius) {
  mf<<<grid(width, height), dim3(BW, BH)>>>(d_levels, d_out, width, height, radius);
  CUDA_CHECK(cudaGetLastError());
}

__device__ int total;
__global__ void cnt(const float* p, int n, float th) {
  int i = blockIdx.x * 256 + threadIdx.x, k = __syncthreads_count(i < n && p[i] > th);
  if (!threadIdx.x && k) atomicAdd(&total, k);
}
void count_bright(const float* d_image, int width, int height, float threshold, bool restart, int* h_count) {
  int z = 0, n = width * height;
  if (restart) CUDA_CHECK(cudaMemcpyToSymbol(total, &z, 4));
  cnt<<<lab::ceil_div(n, 256), 256>>>(d_image, n, threshold);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpyFromSymbol(h_count, total, 4));
}

