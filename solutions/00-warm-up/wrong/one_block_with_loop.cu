// Mistake: one block that loops over all elements: right, but one multiprocessor does all the work.

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/saxpy.hpp"

__global__ void saxpy_kernel(int n, float a, const float* x, float* y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = a * x[i] + y[i];
}

void saxpy(int n, float a, const float* d_x, float* d_y) {
  constexpr int kThreads = 256;
  saxpy_kernel<<<1, kThreads>>>(n, a, d_x, d_y);
  CUDA_CHECK(cudaGetLastError());
}

cudaError_t saxpy_in_blocks(int n, float a, const float* d_x, float* d_y, int block_threads) {
  const int blocks = block_threads > 0 ? lab::ceil_div(n, block_threads) : 1;
  saxpy_kernel<<<blocks, block_threads>>>(n, a, d_x, d_y);
  return cudaGetLastError();
}
