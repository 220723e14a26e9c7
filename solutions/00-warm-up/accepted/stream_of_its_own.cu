// Accepted: memory, copies and launch are ordered by a stream, which is the only thing that the host waits
// for.

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/saxpy.hpp"

__global__ void saxpy_kernel(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}

cudaError_t launch(int n, float a, const float* d_x, float* d_y, int block_threads, cudaStream_t stream) {
  const int blocks = block_threads > 0 ? lab::ceil_div(n, block_threads) : 1;
  saxpy_kernel<<<blocks, block_threads, 0, stream>>>(n, a, d_x, d_y);
  return cudaGetLastError();
}

void saxpy(int n, float a, const float* d_x, float* d_y) { CUDA_CHECK(launch(n, a, d_x, d_y, 256, nullptr)); }

cudaError_t saxpy_in_blocks(int n, float a, const float* d_x, float* d_y, int block_threads) {
  return launch(n, a, d_x, d_y, block_threads, nullptr);
}

void saxpy_from_host(int n, float a, const float* h_x, float* h_y) {
  const size_t bytes = sizeof(float) * n;
  cudaStream_t stream;
  float *d_x, *d_y;
  CUDA_CHECK(cudaStreamCreate(&stream));
  CUDA_CHECK(cudaMallocAsync(&d_x, bytes, stream));
  CUDA_CHECK(cudaMallocAsync(&d_y, bytes, stream));
  CUDA_CHECK(cudaMemcpyAsync(d_y, h_y, bytes, cudaMemcpyHostToDevice, stream));
  CUDA_CHECK(cudaMemcpyAsync(d_x, h_x, bytes, cudaMemcpyHostToDevice, stream));
  CUDA_CHECK(launch(n, a, d_x, d_y, 256, stream));
  CUDA_CHECK(cudaFreeAsync(d_x, stream));
  CUDA_CHECK(cudaMemcpyAsync(h_y, d_y, bytes, cudaMemcpyDeviceToHost, stream));
  CUDA_CHECK(cudaFreeAsync(d_y, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  CUDA_CHECK(cudaStreamDestroy(stream));
}
