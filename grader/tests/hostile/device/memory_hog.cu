// Allocates more than all of the device's memory.
#include "lab/tiled_matmul.hpp"

__global__ void kernel(const float* M, float* P, int m, int n) { P[0] = M[0]; }

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  void* more = nullptr;
  while (cudaMalloc(&more, size_t{1} << 28) == cudaSuccess) {
  }
  kernel<<<1, 64>>>(d_M, d_P, m, n);
}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
