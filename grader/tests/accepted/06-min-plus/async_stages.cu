// Idea: blocks stage 64 × 8 pieces of both operands in shared memory with cp.async, double-buffered; 16 bytes
// a copy.

#include <cmath>

#include <cuda_pipeline.h>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/min_plus.hpp"

__global__ void step_v1_kernel(float* r, const float* d, int n) {
  // A row of d[i][k] in shared memory for the 8 rows of this block.
  __shared__ float rows[8][32];
  const int tx = threadIdx.x, ty = threadIdx.y, i = blockIdx.y * 8 + ty, j = blockIdx.x * 32 + tx;
  float least = HUGE_VALF;
  for (int first = 0; first < n; first += 32) {
    rows[ty][tx] = i < n && first + tx < n ? d[i * n + first + tx] : HUGE_VALF;
    __syncthreads();
    if (j < n)
      for (int k = 0; k < min(32, n - first); ++k) least = fminf(least, rows[ty][k] + d[(first + k) * n + j]);
    __syncthreads();
  }
  if (i < n && j < n) r[i * n + j] = least;
}

void step_v1(float* r, const float* d, int n) {
  float* memory;
  CUDA_CHECK(cudaMalloc((void**)&memory, 2 * n * n * sizeof *memory));
  CUDA_CHECK(cudaMemcpy(memory, d, n * n * sizeof *memory, cudaMemcpyHostToDevice));
  step_v1_kernel<<<dim3(lab::ceil_div(n, 32), lab::ceil_div(n, 8)), dim3(32, 8)>>>(memory + n * n, memory, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(r, memory + n * n, n * n * sizeof *memory, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(memory));
}

__global__ void pad_transpose_kernel(const float* in, float* padded, float* transposed, int n, int nn) {
  __shared__ float tile[64][65];
  const int i0 = blockIdx.y * 64, j0 = blockIdx.x * 64, t = threadIdx.x;
  for (int y = 0; y < 64; ++y) {
    const float value = i0 + y < n && j0 + t < n ? in[(i0 + y) * n + j0 + t] : HUGE_VALF;
    padded[(i0 + y) * nn + j0 + t] = tile[y][t] = value;
  }
  __syncthreads();
  for (int y = 0; y < 64; ++y) transposed[(j0 + y) * nn + i0 + t] = tile[t][y];
}

void pad_transpose(const float* d_in, float* d_padded, float* d_transposed, int n, int nn) {
  pad_transpose_kernel<<<dim3(nn / 64, nn / 64), 64>>>(d_in, d_padded, d_transposed, n, nn);
  CUDA_CHECK(cudaGetLastError());
}

constexpr int kDepth = 8;  // values of k in a stage

struct __align__(16) Stage {
  float x[kDepth][64], y[kDepth][64];
};

__global__ void __launch_bounds__(64) step_kernel(float* r, const float* d, const float* t, int n, int nn) {
  __shared__ Stage stages[2];
  const int thread = threadIdx.y * 8 + threadIdx.x, i0 = blockIdx.y * 64, j0 = blockIdx.x * 64;
  const auto fetch = [&](int k0, Stage& to) {
    // 8 rows of 16 quadruples for each operand, two of each for each thread.
    for (int q = thread; q < kDepth * 16; q += 64) {
      const int k = q / 16, at = q % 16 * 4;
      __pipeline_memcpy_async(&to.x[k][at], &t[(k0 + k) * nn + i0 + at], 16);
      __pipeline_memcpy_async(&to.y[k][at], &d[(k0 + k) * nn + j0 + at], 16);
    }
    __pipeline_commit();
  };
  float least[8][8];
#pragma unroll
  for (int a = 0; a < 8; ++a)
#pragma unroll
    for (int b = 0; b < 8; ++b) least[a][b] = HUGE_VALF;
  fetch(0, stages[0]);
  for (int k0 = 0, s = 0; k0 < n; k0 += kDepth, s ^= 1) {
    if (k0 + kDepth < n) fetch(k0 + kDepth, stages[s ^ 1]);
    __pipeline_wait_prior(k0 + kDepth < n);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kDepth; ++k) {  // rows beyond n contain infinity
      float x[8];
#pragma unroll
      for (int a = 0; a < 8; ++a) x[a] = stages[s].x[k][threadIdx.y + 8 * a];
#pragma unroll
      for (int b = 0; b < 8; ++b) {
        const float y = stages[s].y[k][threadIdx.x + 8 * b];
#pragma unroll
        for (int a = 0; a < 8; ++a) least[a][b] = fminf(least[a][b], x[a] + y);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int a = 0; a < 8; ++a)
#pragma unroll
    for (int b = 0; b < 8; ++b)
      if (const int i = i0 + threadIdx.y + 8 * a, j = j0 + threadIdx.x + 8 * b; i < n && j < n)
        r[i * n + j] = least[a][b];
}

void step(float* r, const float* d, int n) {
  const int tiles = lab::ceil_div(n, 64), nn = tiles * 64;
  float *d_r, *d_d, *d_t;
  CUDA_CHECK(cudaMalloc((void**)&d_r, n * n * sizeof(float)));
  CUDA_CHECK(cudaMalloc((void**)&d_d, nn * nn * sizeof(float)));
  CUDA_CHECK(cudaMalloc((void**)&d_t, nn * nn * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(d_r, d, n * n * sizeof(float), cudaMemcpyHostToDevice));
  pad_transpose(d_r, d_d, d_t, n, nn);
  step_kernel<<<dim3(tiles, tiles), dim3(8, 8)>>>(d_r, d_d, d_t, n, nn);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(r, d_r, n * n * sizeof(float), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_r));
  CUDA_CHECK(cudaFree(d_d));
  CUDA_CHECK(cudaFree(d_t));
}
