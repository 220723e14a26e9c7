// Accepted: a grid that fills the device once; each thread continues with the element one grid further.

#include "lab/check.hpp"
#include "lab/saxpy.hpp"

__global__ void axpy(float a, const float* x, float* y, int n) {
  int step = gridDim.x * blockDim.x;
  for (int i = blockDim.x * blockIdx.x + threadIdx.x; i < n; i += step) y[i] += a * x[i];
}

int blocks_for(int n, int threads) {
  int sms = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  int needed = (n - 1) / threads + 1;
  return needed < 8 * sms ? needed : 8 * sms;
}

void saxpy(int n, float a, const float* d_x, float* d_y) {
  axpy<<<blocks_for(n, 256), 256>>>(a, d_x, d_y, n);
  CUDA_CHECK(cudaGetLastError());
}

cudaError_t saxpy_in_blocks(int n, float a, const float* d_x, float* d_y, int block_threads) {
  axpy<<<blocks_for(n, block_threads > 0 ? block_threads : 1), block_threads>>>(a, d_x, d_y, n);
  cudaError_t error = cudaPeekAtLastError();
  cudaGetLastError();
  return error;
}

void saxpy_from_host(int n, float a, const float* h_x, float* h_y) {
  float* d_both = nullptr;  // x, then y
  CUDA_CHECK(cudaMalloc(&d_both, 2 * n * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(d_both, h_x, n * sizeof(float), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_both + n, h_y, n * sizeof(float), cudaMemcpyHostToDevice));
  saxpy(n, a, d_both, d_both + n);
  CUDA_CHECK(cudaMemcpy(h_y, d_both + n, n * sizeof(float), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_both));
}
