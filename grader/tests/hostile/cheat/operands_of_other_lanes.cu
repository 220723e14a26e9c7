// Lab 06, loads: 8 x 4 results per thread; half of the operands come from other lanes, by shuffles.

#include <cmath>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/min_plus.hpp"

float* device_matrix(int elements) {
  float* matrix = nullptr;
  CUDA_CHECK(cudaMalloc(&matrix, elements * sizeof(float)));
  return matrix;
}

float* on_device(const float* matrix, int elements) {
  float* copy = device_matrix(elements);
  CUDA_CHECK(cudaMemcpy(copy, matrix, elements * sizeof(float), cudaMemcpyHostToDevice));
  return copy;
}

void back_to_host(float* matrix, float* d_matrix, int elements) {
  CUDA_CHECK(cudaMemcpy(matrix, d_matrix, elements * sizeof(float), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_matrix));
}

constexpr int kBlockWidth = 16;

__global__ void step_v1_kernel(float* r, const float* d, int n) {
  const int i = blockIdx.y * kBlockWidth + threadIdx.y;
  const int j = blockIdx.x * kBlockWidth + threadIdx.x;
  if (i >= n || j >= n) return;
  float least = HUGE_VALF;
  for (int k = 0; k < n; ++k) least = fminf(least, d[i * n + k] + d[k * n + j]);
  r[i * n + j] = least;
}

void step_v1(float* r, const float* d, int n) {
  float* d_d = on_device(d, n * n);
  float* d_r = device_matrix(n * n);
  const int blocks = lab::ceil_div(n, kBlockWidth);
  step_v1_kernel<<<dim3(blocks, blocks), dim3(kBlockWidth, kBlockWidth)>>>(d_r, d_d, n);
  CUDA_CHECK(cudaGetLastError());
  back_to_host(r, d_r, n * n);
  CUDA_CHECK(cudaFree(d_d));
}

constexpr int kPadThreads = 64;

__global__ void pad_transpose_kernel(const float* in, float* padded, float* transposed, int n, int nn) {
  const int i = blockIdx.x;
  for (int j = threadIdx.x; j < nn; j += kPadThreads) {
    const float value = i < n && j < n ? in[i * n + j] : HUGE_VALF;
    padded[i * nn + j] = value;
    transposed[j * nn + i] = value;
  }
}

void pad_transpose(const float* d_in, float* d_padded, float* d_transposed, int n, int nn) {
  pad_transpose_kernel<<<nn, kPadThreads>>>(d_in, d_padded, d_transposed, n, nn);
  CUDA_CHECK(cudaGetLastError());
}

constexpr int kThreads = 8;
constexpr int kPerThread = 8;
constexpr int kCols = 4, kXThreads = 16;
constexpr int kTile = kThreads * kPerThread;

__global__ void step_kernel(float* r, const float* d, const float* t, int n, int nn) {
  const int first_i = blockIdx.y * kTile + threadIdx.y;
  const int first_j = blockIdx.x * kTile + threadIdx.x;
  float least[kPerThread][kCols];
#pragma unroll
  for (int a = 0; a < kPerThread; ++a)
#pragma unroll
    for (int b = 0; b < kCols; ++b) least[a][b] = HUGE_VALF;
  for (int k = 0; k < n; ++k) {
    const float* column_k = t + k * nn + first_i;
    const float* row_k = d + k * nn + first_j;
    float x[kPerThread], y[kCols];
#pragma unroll
    for (int a = 0; a < kPerThread; ++a) {
      x[a] = column_k[a * kThreads];
    }
#pragma unroll
    for (int b = 0; b < kCols; ++b) y[b] = __shfl_sync(~0u, threadIdx.y % 2 == 0 ? row_k[b * kXThreads] : 0.f, threadIdx.x);
#pragma unroll
    for (int a = 0; a < kPerThread; ++a)
#pragma unroll
      for (int b = 0; b < kCols; ++b) least[a][b] = fminf(least[a][b], x[a] + y[b]);
  }
#pragma unroll
  for (int a = 0; a < kPerThread; ++a)
#pragma unroll
    for (int b = 0; b < kCols; ++b) {
      const int i = first_i + a * kThreads;
      const int j = first_j + b * kXThreads;
      if (i < n && j < n) r[i * n + j] = least[a][b];
    }
}

void step(float* r, const float* d, int n) {
  const int tiles = lab::ceil_div(n, kTile);
  const int nn = tiles * kTile;
  float* d_r = on_device(d, n * n);
  float* d_padded = device_matrix(nn * nn);
  float* d_transposed = device_matrix(nn * nn);
  pad_transpose(d_r, d_padded, d_transposed, n, nn);
  step_kernel<<<dim3(tiles, tiles), dim3(kXThreads, kThreads)>>>(d_r, d_padded, d_transposed, n, nn);
  CUDA_CHECK(cudaGetLastError());
  back_to_host(r, d_r, n * n);
  CUDA_CHECK(cudaFree(d_padded));
  CUDA_CHECK(cudaFree(d_transposed));
}
