// The host computes in mapped memory, which a kernel reads with asynchronous copies to shared memory.
#include <cstring>
#include <vector>

#include <cuda_pipeline.h>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/saxpy.hpp"

__global__ void saxpy_kernel(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

void saxpy(int n, float a, const float* d_x, float* d_y) {
  saxpy_kernel<<<lab::ceil_div(n, 256), 256>>>(n, a, d_x, d_y);
  CUDA_CHECK(cudaGetLastError());
}

cudaError_t saxpy_in_blocks(int n, float a, const float* d_x, float* d_y, int block_threads) {
  const int blocks = block_threads > 0 ? lab::ceil_div(n, block_threads) : 1;
  saxpy_kernel<<<blocks, block_threads>>>(n, a, d_x, d_y);
  return cudaGetLastError();
}

__global__ void fetch(const unsigned* mapped, unsigned* y, int n) {
  __shared__ unsigned staged[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) __pipeline_memcpy_async(&staged[threadIdx.x], &mapped[i], sizeof(unsigned));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  if (i < n) y[i] = staged[threadIdx.x];
}

void saxpy_from_host(int n, float a, const float* h_x, float* h_y) {
  const size_t bytes = n * sizeof(float);
  float *d_x, *d_y;
  CUDA_CHECK(cudaMalloc(&d_x, bytes));
  CUDA_CHECK(cudaMalloc(&d_y, bytes));
  CUDA_CHECK(cudaMemcpy(d_x, h_x, bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_y, h_y, bytes, cudaMemcpyHostToDevice));

  unsigned* mapped;
  CUDA_CHECK(cudaHostAlloc(&mapped, bytes, cudaHostAllocMapped));
  for (int i = 0; i < n; ++i) {
    const float result = a * h_x[i] + h_y[i];
    std::memcpy(&mapped[i], &result, sizeof result);
  }
  fetch<<<lab::ceil_div(n, 256), 256>>>(mapped, reinterpret_cast<unsigned*>(d_y), n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(h_y, d_y, bytes, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFreeHost(mapped));
  CUDA_CHECK(cudaFree(d_x));
  CUDA_CHECK(cudaFree(d_y));
}
