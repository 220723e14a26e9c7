// Kernels cover k in steps of four nodes. For the last nodes a kernel stores all candidates in mapped memory, where the
// host takes the smaller one of each pair.
#include <vector>
#include <algorithm>
#include <cmath>
#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/min_plus.hpp"
static float* dev(int n) { float* p; CUDA_CHECK(cudaMalloc(&p, n * sizeof(float))); return p; }
static float* up(const float* h, int n) { float* p = dev(n); CUDA_CHECK(cudaMemcpy(p, h, n * sizeof(float), cudaMemcpyHostToDevice)); return p; }
__global__ void v1k(float* r, const float* d, int n) {
  int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
  if (i >= n || j >= n) return;
  float v = HUGE_VALF;
  for (int k = 0; k < n; ++k) v = fminf(v, d[i * n + k] + d[k * n + j]);
  r[i * n + j] = v;
}
void step_v1(float* r, const float* d, int n) {
  float *a = up(d, n * n), *b = dev(n * n);
  int g = lab::ceil_div(n, 16);
  v1k<<<dim3(g, g), dim3(16, 16)>>>(b, a, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(r, b, n * n * 4, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(a)); CUDA_CHECK(cudaFree(b));
}

__global__ void padk(const float* in, float* p, float* t, int n, int nn) {
  int i = blockIdx.x;
  for (int j = threadIdx.x; j < nn; j += 64) {
    float v = i < n && j < n ? in[i * n + j] : HUGE_VALF;
    p[i * nn + j] = v; t[j * nn + i] = v;
  }
}
void pad_transpose(const float* d_in, float* d_padded, float* d_transposed, int n, int nn) {
  padk<<<nn, 64>>>(d_in, d_padded, d_transposed, n, nn);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void stepk(float* r, const float* d, const float* t, int n, int nn) {
  int i0 = blockIdx.y * 64 + threadIdx.y, j0 = blockIdx.x * 64 + threadIdx.x;
  float v[8][8];
#pragma unroll
  for (int a = 0; a < 8; ++a)
#pragma unroll
    for (int b = 0; b < 8; ++b) v[a][b] = HUGE_VALF;
  for (int k0 = 0; k0 + 4 <= n; k0 += 4)
#pragma unroll
  for (int kq = 0; kq < 4; ++kq) { int k = k0 + kq;
    const float *tk = t + k * nn + i0, *dk = d + k * nn + j0;
    float x[8], y[8];
#pragma unroll
    for (int a = 0; a < 8; ++a) { x[a] = tk[a * 8]; y[a] = dk[a * 8]; }
#pragma unroll
    for (int a = 0; a < 8; ++a)
#pragma unroll
      for (int b = 0; b < 8; ++b) v[a][b] = fminf(v[a][b], x[a] + y[b]);
  }
#pragma unroll
  for (int a = 0; a < 8; ++a)
#pragma unroll
    for (int b = 0; b < 8; ++b)
      if (i0 + 8 * a < n && j0 + 8 * b < n) r[(i0 + 8 * a) * n + j0 + 8 * b] = v[a][b];
}
__global__ void lastk(float* c, const float* d, int n, int k) {   // candidates over node k
  int i = blockIdx.x;
  for (int j = threadIdx.x; j < n; j += 64) c[i * n + j] = d[i * n + k] + d[k * n + j];
}
void step(float* r, const float* d, int n) {
  int g = lab::ceil_div(n, 64), nn = g * 64;
  float *a = up(d, n * n), *p = dev(nn * nn), *t = dev(nn * nn);
  int k0 = n / 4 * 4;
  std::vector<float*> c;
  for (int k = k0; k < n; ++k) {
    float* h; CUDA_CHECK(cudaHostAlloc(&h, n * n * 4, cudaHostAllocMapped));
    float* hd; CUDA_CHECK(cudaHostGetDevicePointer((void**)&hd, h, 0));
    c.push_back(h);
    lastk<<<n, 64>>>(hd, a, n, k);
    CUDA_CHECK(cudaGetLastError());
  }
  float* o; CUDA_CHECK(cudaHostAlloc(&o, n * n * 4, cudaHostAllocMapped));
  float* od; CUDA_CHECK(cudaHostGetDevicePointer((void**)&od, o, 0));
  pad_transpose(a, p, t, n, nn);
  stepk<<<dim3(g, g), dim3(8, 8)>>>(a, p, t, n, nn);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(r, a, n * n * 4, cudaMemcpyDeviceToHost));
  for (auto x : c) for (int i = 0; i < n * n; ++i) r[i] = std::min(r[i], x[i]);
  for (auto x : c) CUDA_CHECK(cudaFreeHost(x));
  CUDA_CHECK(cudaFreeHost(o));
  CUDA_CHECK(cudaFree(a)); CUDA_CHECK(cudaFree(p)); CUDA_CHECK(cudaFree(t));
}
