// Idea: tiles of pairs in 64-bit words; a function that is not inlined reads the tile through a generic
// pointer.
#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/tiled_matmul.hpp"

constexpr int T = 16;
__global__ void tk(const float* M, const float* N, float* P, int m, int k, int n) {
  __shared__ unsigned long long ab[T][T];  // low word: M tile, high word: N tile (transposed)
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, col = blockIdx.x * T + x;
  float s = 0;
  for (int p = 0; p < k; p += T) {
    const float va = row < m && p + x < k ? M[row * k + p + x] : 0;
    const float vb = p + y < k && col < n ? N[(p + y) * n + col] : 0;
    ab[y][x] = (unsigned long long)__float_as_uint(vb) << 32 | __float_as_uint(va);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < T; ++i)
      s += __uint_as_float((unsigned)ab[y][i]) * __uint_as_float((unsigned)(ab[i][x] >> 32));
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
// bit patterns, swizzled, through generic pointers
__device__ __noinline__ unsigned fetch(const unsigned* p) { return *p; }
__global__ void dk(const float* M, const float* N, float* P, int m, int k, int n) {
  extern __shared__ unsigned char raw[];
  const int t = blockDim.x;
  unsigned *a = reinterpret_cast<unsigned*>(raw), *b = a + t * t;
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * t + y, col = blockIdx.x * t + x;
  float s = 0;
  for (int p = 0; p < k; p += t) {
    a[y * t + (x ^ y)] = row < m && p + x < k ? __float_as_uint(M[row * k + p + x]) : 0;
    b[y * t + (x ^ y)] = p + y < k && col < n ? __float_as_uint(N[(p + y) * n + col]) : 0;
    __syncthreads();
    for (int i = 0; i < t; ++i)
      s += __uint_as_float(fetch(a + y * t + (i ^ y))) * __uint_as_float(fetch(b + i * t + (x ^ i)));
    __syncthreads();
  }
  if (row < m && col < n) P[row * n + col] = s;
}
void tiled_matmul_dynamic(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  const int t = choose();
  dk<<<dim3(lab::ceil_div(n, t), lab::ceil_div(m, t)), dim3(t, t), 8 * t * t>>>(d_M, d_N, d_P, m, k, n);
  CUDA_CHECK(cudaGetLastError());
}
