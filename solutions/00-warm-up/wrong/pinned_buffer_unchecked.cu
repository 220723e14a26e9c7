// Mistake: the allocation of the pinned buffer is not checked, although all other calls are.

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/saxpy.hpp"

__global__ void saxpy_kernel(int n, float a, const float* x, float* y) {
  // The blocks before this one have blockDim.x threads each.
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];  // the last block can have more threads than elements
}

void saxpy(int n, float a, const float* d_x, float* d_y) {
  constexpr int kThreads = 256;  // 8 warps per block; a device has room for many such blocks
  saxpy_kernel<<<lab::ceil_div(n, kThreads), kThreads>>>(n, a, d_x, d_y);
  CUDA_CHECK(cudaGetLastError());  // a launch returns nothing, so get its error
}

cudaError_t saxpy_in_blocks(int n, float a, const float* d_x, float* d_y, int block_threads) {
  // With 0 threads per block no grid is large enough; CUDA then refuses the launch.
  const int blocks = block_threads > 0 ? lab::ceil_div(n, block_threads) : 1;
  saxpy_kernel<<<blocks, block_threads>>>(n, a, d_x, d_y);
  return cudaGetLastError();  // also resets the error, so that later calls do not return it
}

void saxpy_from_host(int n, float a, const float* h_x, float* h_y) {
  const size_t bytes = n * sizeof(float);  // allocations and copies count bytes, not elements
  float *d_x = nullptr, *d_y = nullptr;
  CUDA_CHECK(cudaMalloc(&d_x, bytes));
  CUDA_CHECK(cudaMalloc(&d_y, bytes));
  CUDA_CHECK(cudaMemcpy(d_x, h_x, bytes, cudaMemcpyHostToDevice));
  float* pinned = nullptr;
  cudaMallocHost(&pinned, bytes);
  for (int i = 0; i < n; ++i) pinned[i] = h_y[i];
  CUDA_CHECK(cudaMemcpy(d_y, pinned, bytes, cudaMemcpyHostToDevice));  // the kernel adds to the old y
  CUDA_CHECK(cudaFreeHost(pinned));
  saxpy(n, a, d_x, d_y);
  CUDA_CHECK(cudaMemcpy(h_y, d_y, bytes, cudaMemcpyDeviceToHost));  // waits for the kernel
  CUDA_CHECK(cudaFree(d_x));
  CUDA_CHECK(cudaFree(d_y));
}
