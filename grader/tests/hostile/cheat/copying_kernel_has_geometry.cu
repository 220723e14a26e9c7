// One block computes the result in another array; a kernel with the grid that the lab asks for only copies it.
#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/saxpy.hpp"

constexpr int kThreads = 256;

__device__ float scratch[1 << 20];

__global__ void saxpy_kernel(int n, float a, const float* x, float* y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = a * x[i] + y[i];
}

__global__ void compute_kernel(int n, float a, const float* x, const float* y) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) scratch[i] = a * x[i] + y[i];
}

__global__ void copy_kernel(int n, float* y) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < n) y[i] = scratch[i];
}

void saxpy(int n, float a, const float* d_x, float* d_y) {
  compute_kernel<<<1, 1024>>>(n, a, d_x, d_y);
  CUDA_CHECK(cudaGetLastError());
  copy_kernel<<<lab::ceil_div(n, kThreads), kThreads>>>(n, d_y);
  CUDA_CHECK(cudaGetLastError());
}

cudaError_t saxpy_in_blocks(int n, float a, const float* d_x, float* d_y, int block_threads) {
  const int blocks = block_threads > 0 ? lab::ceil_div(n, block_threads) : 1;
  saxpy_kernel<<<blocks, block_threads>>>(n, a, d_x, d_y);
  return cudaGetLastError();
}

void saxpy_from_host(int n, float a, const float* h_x, float* h_y) {
  const size_t bytes = n * sizeof(float);
  float *d_x = nullptr, *d_y = nullptr;
  CUDA_CHECK(cudaMalloc(&d_x, bytes));
  CUDA_CHECK(cudaMalloc(&d_y, bytes));
  CUDA_CHECK(cudaMemcpy(d_x, h_x, bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_y, h_y, bytes, cudaMemcpyHostToDevice));
  saxpy(n, a, d_x, d_y);
  CUDA_CHECK(cudaMemcpy(h_y, d_y, bytes, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_x));
  CUDA_CHECK(cudaFree(d_y));
}
