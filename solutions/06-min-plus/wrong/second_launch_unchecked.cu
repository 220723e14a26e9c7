// Mistake: of the two launches of `step`, only the first is checked: nothing notices that the second is
// refused.
//
// Version 1 lets the threads of a warp read neighbouring addresses. It still loads two floats for every sum.
// Version 2 loads 8 + 8 floats into registers and computes 8 · 8 sums from them: a quarter of a load per
// sum. Only registers can feed the arithmetic this fast; for that the compiler must know every index of an
// array.

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

// Waits for the kernel that writes d_matrix: the copy follows it in the same stream.
void back_to_host(float* matrix, float* d_matrix, int elements) {
  CUDA_CHECK(cudaMemcpy(matrix, d_matrix, elements * sizeof(float), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_matrix));
}

// ---- A. Version 1: neighbouring threads read neighbouring addresses ----

constexpr int kBlockWidth = 16;

__global__ void step_v1_kernel(float* r, const float* d, int n) {
  const int i = blockIdx.y * kBlockWidth + threadIdx.y;
  const int j = blockIdx.x * kBlockWidth + threadIdx.x;  // x runs along a row, so that a warp shares sectors
  if (i >= n || j >= n) return;
  float least = HUGE_VALF;  // infinity: no candidate is larger
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

// ---- B. Padding: both operands' rows, a multiple of 64 long ----

constexpr int kPadThreads = 64;

// One block for each row of the padded matrix; its threads go along the row in steps of 64.
__global__ void pad_transpose_kernel(const float* in, float* padded, float* transposed, int n, int nn) {
  const int i = blockIdx.x;
  for (int j = threadIdx.x; j < nn; j += kPadThreads) {
    // Infinity does not change a minimum, as 0 does not change a sum: a path over a missing node is never the
    // shortest.
    const float value = i < n && j < n ? in[i * n + j] : HUGE_VALF;
    padded[i * nn + j] = value;
    transposed[j * nn + i] = value;
  }
}

void pad_transpose(const float* d_in, float* d_padded, float* d_transposed, int n, int nn) {
  pad_transpose_kernel<<<nn, kPadThreads>>>(d_in, d_padded, d_transposed, n, nn);
  CUDA_CHECK(cudaGetLastError());
}

// ---- C. Version 2: 8 × 8 elements of r for each thread, all in registers ----

constexpr int kThreads = 8;                   // along each side of a block
constexpr int kPerThread = 8;                 // along each side of a thread's share
constexpr int kTile = kThreads * kPerThread;  // 64 × 64 elements of r for each block

// d is nn × nn and t its transpose, nn a multiple of kTile. Thread (x, y) computes rows y, y + 8, y + 16, …
// and columns x, x + 8, x + 16, … of its block's tile: so in each load a warp reads 8 or 4 neighbouring
// floats.
__global__ void step_kernel(float* r, const float* d, const float* t, int n, int nn) {
  const int first_i = blockIdx.y * kTile + threadIdx.y;
  const int first_j = blockIdx.x * kTile + threadIdx.x;

  float least[kPerThread][kPerThread];
#pragma unroll
  for (int a = 0; a < kPerThread; ++a)
#pragma unroll
    for (int b = 0; b < kPerThread; ++b) least[a][b] = HUGE_VALF;

  for (int k = 0; k < n; ++k) {
    // One address per eight loads: the distances between them are constants in the instructions.
    const float* column_k = t + k * nn + first_i;  // d[i][k]: the transpose has column k as a row
    const float* row_k = d + k * nn + first_j;     // d[k][j]
    float x[kPerThread], y[kPerThread];
#pragma unroll
    for (int a = 0; a < kPerThread; ++a) {
      x[a] = column_k[a * kThreads];
      y[a] = row_k[a * kThreads];
    }
    // With unrolled loops the compiler knows every index here, and the arrays need no memory.
#pragma unroll
    for (int a = 0; a < kPerThread; ++a)
#pragma unroll
      for (int b = 0; b < kPerThread; ++b) least[a][b] = fminf(least[a][b], x[a] + y[b]);
  }

#pragma unroll
  for (int a = 0; a < kPerThread; ++a)
#pragma unroll
    for (int b = 0; b < kPerThread; ++b) {
      const int i = first_i + a * kThreads;
      const int j = first_j + b * kThreads;
      if (i < n && j < n) r[i * n + j] = least[a][b];  // r is not padded
    }
}

void step(float* r, const float* d, int n) {
  const int tiles = lab::ceil_div(n, kTile);
  const int nn = tiles * kTile;
  float* d_r = on_device(d, n * n);  // contains the input until the padded copies are made, then the result
  float* d_padded = device_matrix(nn * nn);
  float* d_transposed = device_matrix(nn * nn);
  pad_transpose(d_r, d_padded, d_transposed, n, nn);
  step_kernel<<<dim3(tiles, tiles), dim3(kThreads, kThreads)>>>(d_r, d_padded, d_transposed, n, nn);
  back_to_host(r, d_r, n * n);
  CUDA_CHECK(cudaFree(d_padded));
  CUDA_CHECK(cudaFree(d_transposed));
}
