// Computes the product with tensor cores, in PTX.
#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/tiled_matmul.hpp"
constexpr int T = 16;
__device__ __forceinline__ void mm(double& c0, double& c1, double a, double b) {
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+d"(c0), "+d"(c1) : "d"(a), "d"(b));
}
// a warp computes 16 x 16 (2 x 2 fragments) or 32 x 32; no tile anywhere
constexpr int Q = 4;  // fragments along each side
__global__ void tk(const float* M, const float* N, float* P, int m, int k, int n) {
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int r0 = blockIdx.y * 8 * Q, c0 = (blockIdx.x * 1 + warp) * 8 * Q;
  double acc[Q][Q][2] = {};
  
  for (int f = 0; f < k; f += 4) {
    int kk = f + (lane & 3);
    float a[Q], b[Q];
#pragma unroll
    for (int q = 0; q < Q; ++q) {
      int r = r0 + 8 * q + lane / 4, c = c0 + 8 * q + lane / 4;
      a[q] = r < m && kk < k ? M[r * k + kk] : 0.f;
      b[q] = c < n && kk < k ? N[kk * n + c] : 0.f;
    }
    
#pragma unroll
    for (int i = 0; i < Q; ++i)
#pragma unroll
      for (int j = 0; j < Q; ++j) mm(acc[i][j][0], acc[i][j][1], a[i], b[j]);
  }
  
#pragma unroll
  for (int i = 0; i < Q; ++i)
#pragma unroll
    for (int j = 0; j < Q; ++j)
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        int r = r0 + 8 * i + lane / 4, c = c0 + 8 * j + 2 * (lane & 3) + h;
        if (r < m && c < n) P[r * n + c] = (float)acc[i][j][h] ;
      }
}
void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  tk<<<dim3(lab::ceil_div(n, 8 * Q * 1), lab::ceil_div(m, 8 * Q)), 32 * 1>>>(d_M, d_N, d_P, m, k, n);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void dk(const float* M, const float* N, float* P, int m, int k, int n) {
  extern __shared__ float t[];
  int w = blockDim.x, x = threadIdx.x, y = threadIdx.y, r = blockIdx.y * w + y, c = blockIdx.x * w + x;
  float *a = t, *b = t + w * w, s = 0.f;
  for (int f = 0; f < k; f += w) {
    a[y * w + x] = r < m && f + x < k ? M[r * k + f + x] : 0.f;
    b[y * w + x] = f + y < k && c < n ? N[(f + y) * n + c] : 0.f;
    __syncthreads();
    for (int i = 0; i < w; ++i) s += a[y * w + i] * b[i * w + x];
    __syncthreads();
  }
  if (r < m && c < n) P[r * n + c] = s;
}
int choose_tile_width() {
  int th, sh, w = 32;
  CUDA_CHECK(cudaDeviceGetAttribute(&th, cudaDevAttrMaxThreadsPerBlock, 0));
  CUDA_CHECK(cudaDeviceGetAttribute(&sh, cudaDevAttrMaxSharedMemoryPerBlock, 0));
  while (w > 1 && (w * w > th || 8 * w * w > sh)) w /= 2;
  return w;
}
void tiled_matmul_dynamic(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  int w = choose_tile_width();
  dk<<<dim3(lab::ceil_div(n, w), lab::ceil_div(m, w)), dim3(w, w), 8 * w * w>>>(d_M, d_N, d_P, m, k, n);
  CUDA_CHECK(cudaGetLastError());
}

