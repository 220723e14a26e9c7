// One sum per thread; loads by cp.async instead of loads.
#include <cmath>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/min_plus.hpp"

constexpr int kBlockWidth = 16;
__device__ float fetch(const float* p, float* mine) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n cp.async.wait_all;" :: "r"(unsigned(__cvta_generic_to_shared(mine))), "l"(p) : "memory");
  return *(volatile float*)mine;
}

__global__ void step_v1_kernel(float* r, const float* d, int n) {
  const int i = blockIdx.y * kBlockWidth + threadIdx.y;
  const int j = blockIdx.x * kBlockWidth + threadIdx.x;
  if (i >= n || j >= n) return;
  float least = HUGE_VALF;
  for (int k = 0; k < n; ++k) least = fminf(least, d[i * n + k] + d[k * n + j]);
  r[i * n + j] = least;
}

void step_v1(float* r, const float* d, int n) {
  const size_t bytes = size_t(n) * n * sizeof(float);
  float *d_r, *d_d;
  CUDA_CHECK(cudaMalloc(&d_r, bytes));
  CUDA_CHECK(cudaMalloc(&d_d, bytes));
  CUDA_CHECK(cudaMemcpy(d_d, d, bytes, cudaMemcpyHostToDevice));
  const int blocks = lab::ceil_div(n, kBlockWidth);
  step_v1_kernel<<<dim3(blocks, blocks), dim3(kBlockWidth, kBlockWidth)>>>(d_r, d_d, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(r, d_r, bytes, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_r));
  CUDA_CHECK(cudaFree(d_d));
}

__global__ void pad_transpose_kernel(const float* in, float* padded, float* transposed, int n, int nn) {
  const int i = blockIdx.x;
  for (int j = threadIdx.x; j < nn; j += 64) {
    const float value = i < n && j < n ? in[i * n + j] : HUGE_VALF;
    padded[i * nn + j] = value;
    transposed[j * nn + i] = value;
  }
}

void pad_transpose(const float* d_in, float* d_padded, float* d_transposed, int n, int nn) {
  pad_transpose_kernel<<<nn, 64>>>(d_in, d_padded, d_transposed, n, nn);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void step_kernel(float* r, const float* d, int n) {
  const int i = blockIdx.y * kBlockWidth + threadIdx.y;
  const int j = blockIdx.x * kBlockWidth + threadIdx.x;
  if (i >= n || j >= n) return;
  __shared__ float mine[2][256];
  float* slot = mine[0] + threadIdx.y * 16 + threadIdx.x;
  float least = HUGE_VALF;
  for (int k = 0; k < n; ++k) least = fminf(least, fetch(d + i * n + k, slot) + fetch(d + k * n + j, slot + 256));
  r[i * n + j] = least;
}

void step(float* r, const float* d, int n) {
  const size_t bytes = size_t(n) * n * sizeof(float);
  float *d_r, *d_d;
  CUDA_CHECK(cudaMalloc(&d_r, bytes));
  CUDA_CHECK(cudaMalloc(&d_d, bytes));
  CUDA_CHECK(cudaMemcpy(d_d, d, bytes, cudaMemcpyHostToDevice));
  const int blocks = lab::ceil_div(n, kBlockWidth);
  step_kernel<<<dim3(blocks, blocks), dim3(kBlockWidth, kBlockWidth)>>>(d_r, d_d, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(r, d_r, bytes, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_r));
  CUDA_CHECK(cudaFree(d_d));
}
