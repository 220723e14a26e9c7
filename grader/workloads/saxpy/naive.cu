// The baseline of 00-warm-up: one block, so one multiprocessor works and the others are idle. From host
// memory, it uses managed memory, which it does not free, so that it misses the objectives on copies and on
// resources that are not freed.
#include <algorithm>
#include <cstdlib>

#include "lab/saxpy.hpp"

namespace {

__global__ void one_block(int n, float a, const float* x, float* y) {
  for (int i = static_cast<int>(threadIdx.x); i < n; i += static_cast<int>(blockDim.x))
    y[i] = a * x[i] + y[i];
}

}  // namespace

void saxpy(int n, float a, const float* d_x, float* d_y) { one_block<<<1, 1024>>>(n, a, d_x, d_y); }

cudaError_t saxpy_in_blocks(int n, float a, const float* d_x, float* d_y, int block_threads) {
  one_block<<<1, block_threads>>>(n, a, d_x, d_y);
  return cudaGetLastError();
}

void saxpy_from_host(int n, float a, const float* h_x, float* h_y) {
  float *x = nullptr, *y = nullptr;
  for (float** array : {&x, &y})
    if (cudaMallocManaged(array, n * sizeof(float)) != cudaSuccess) std::exit(EXIT_FAILURE);
  std::copy_n(h_x, n, x);
  std::copy_n(h_y, n, y);
  saxpy(n, a, x, y);
  cudaDeviceSynchronize();
  std::copy_n(y, n, h_y);
}
