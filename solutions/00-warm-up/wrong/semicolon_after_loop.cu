// A semicolon ends the loop before its body.

#include <vector>

#include "lab/check.hpp"
#include "lab/saxpy.hpp"

__global__ void axpy(const float* px, float* py, float factor, int count) {
  const int step = blockDim.x * gridDim.x;
  for (int idx = threadIdx.x + blockIdx.x * blockDim.x; idx < count; idx += step)
    ;
  {
    int idx = threadIdx.x + blockIdx.x * blockDim.x;
    py[idx] += factor * px[idx];
  }
}

static cudaError_t launch(const float* px, float* py, float factor, int count, int threads) {
  if (threads == 0) threads = -1;
  int blocks = (count - 1) / threads + 1;
  if (threads < 0) {
    threads = 0;
    blocks = 1;
  }
  axpy<<<blocks, threads>>>(px, py, factor, count);
  return cudaGetLastError();
}

void saxpy(int n, float a, const float* d_x, float* d_y) { CUDA_CHECK(launch(d_x, d_y, a, n, 256)); }

cudaError_t saxpy_in_blocks(int n, float a, const float* d_x, float* d_y, int block_threads) {
  return launch(d_x, d_y, a, n, block_threads);
}

void saxpy_from_host(int n, float a, const float* h_x, float* h_y) {
  float* both;
  const size_t half = n * sizeof(float);
  CUDA_CHECK(cudaMalloc((void**)&both, 2 * half));
  float* x = both;
  float* y = both + n;
  CUDA_CHECK(cudaMemcpy(x, h_x, half, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(y, h_y, half, cudaMemcpyHostToDevice));
  saxpy(n, a, x, y);
  CUDA_CHECK(cudaMemcpy(h_y, y, half, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(both));
}
