// 00-warm-up: y = a x + y for arrays of n elements, n ≥ 1, in device memory, then in host memory.
//
// Do the TODOs in order and check after each:   warpgrade check 00-warm-up
// README.md explains the task, hints.md helps when you are stuck. Budgets count lines of code.

#include "lab/ceil_div.hpp"  // lab::ceil_div(1000, 256) = 4
#include "lab/check.hpp"     // CUDA_CHECK(call)
#include "lab/saxpy.hpp"

__global__ void saxpy_kernel(int n, float a, const float* x, float* y) {
  // TODO 2 (2 lines): which element is this thread's? Compute it. Now "index" passes.

  // TODO 3 (about 1 line changes): the last block can have more threads than there are elements left. Now
  //   "guard" and "geometry" pass.
}

void saxpy(int n, float a, const float* d_x, float* d_y) {
  // TODO 1 (about 2 lines): launch saxpy_kernel with blocks of 256 threads and enough of them, and check
  //   the launch with CUDA_CHECK(cudaGetLastError()).
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
