// Mistake: every thread runs the loop over all elements.

#include "lab/ceil_div.hpp"  // lab::ceil_div(1000, 256) = 4
#include "lab/check.hpp"     // CUDA_CHECK(call)
#include "lab/saxpy.hpp"

__global__ void saxpy_kernel(int n, float a, const float* x, float* y) {
  for (int i = 0; i < n; i++) y[i] = a * x[i] + y[i];
}

void saxpy(int n, float a, const float* d_x, float* d_y) {
  saxpy_kernel<<<n / 256, 256>>>(n, a, d_x, d_y);
  CUDA_CHECK(cudaGetLastError());
}

cudaError_t saxpy_in_blocks(int n, float a, const float* d_x, float* d_y, int block_threads) {
  // TODO 4 (about 3 lines): the same with blocks of block_threads threads. Return the result of
  //   cudaGetLastError() right after the launch. Blocks of 2,048 threads are impossible, and so are blocks of
  //   0 threads; do not divide by 0. Now "errors" passes.
  return cudaSuccess;
}

void saxpy_from_host(int n, float a, const float* h_x, float* h_y) {
  // TODO 5 (about 10 lines): a kernel cannot use h_x and h_y, which are in host memory. Allocate two
  //   arrays of n floats in device memory, copy x and y to them, call saxpy, copy y back, and free both
  //   arrays. Put CUDA_CHECK around each call of the CUDA runtime. Now "transfers" passes.
}
