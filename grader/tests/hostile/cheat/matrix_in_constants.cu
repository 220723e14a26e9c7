// No tile: a copy within the device puts M into constant memory, which is read as float4.
#include <algorithm>
#include <vector>

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

constexpr int kStored = 16384;  // floats of constant memory
__constant__ float4 c_M[kStored / 4];

constexpr int kRows = 8, kColumns = 4;

// M comes from constant memory four floats at a time: one request and one pass, "whatever the size of the value".
__global__ void constant_kernel(const float* N, float* P, int rows, int k, int n) {
  const int first_row = blockIdx.y * kRows, col = blockIdx.x * 32 * kColumns + threadIdx.x;
  float sums[kRows][kColumns] = {};
  for (int i = 0; i < k; i += 4) {
    float4 a[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r) a[r] = c_M[(min(first_row + r, rows - 1) * k + i) / 4];
#pragma unroll
    for (int c = 0; c < kColumns; ++c) {
      const bool exists = col + 32 * c < n;
      const float* b = N + i * n + col + 32 * c;
      const float b0 = exists ? b[0] : 0, b1 = exists ? b[n] : 0, b2 = exists ? b[2 * n] : 0, b3 = exists ? b[3 * n] : 0;
#pragma unroll
      for (int r = 0; r < kRows; ++r) sums[r][c] += a[r].x * b0 + a[r].y * b1 + a[r].z * b2 + a[r].w * b3;
    }
  }
#pragma unroll
  for (int r = 0; r < kRows; ++r)
#pragma unroll
    for (int c = 0; c < kColumns; ++c)
      if (first_row + r < rows && col + 32 * c < n) P[(first_row + r) * n + col + 32 * c] = sums[r][c];
}

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  if (k % 4 || k > 512 || m < 32) return naive(d_M, d_N, d_P, m, k, n);
  const int rows = kStored / k / kRows * kRows;
  for (int first = 0; first < m; first += rows) {
    const int part = std::min(rows, m - first);
    CUDA_CHECK(cudaMemcpyToSymbolAsync(c_M, d_M + first * k, part * k * sizeof(float), 0, cudaMemcpyDeviceToDevice));
    constant_kernel<<<dim3(lab::ceil_div(n, 32 * kColumns), lab::ceil_div(part, kRows)), 32>>>(d_N, d_P + first * n, part, k, n);
    CUDA_CHECK(cudaGetLastError());
  }
}
