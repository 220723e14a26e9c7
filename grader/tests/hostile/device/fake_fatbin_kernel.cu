// Launches a kernel that was never registered.
#include "lab/tiled_matmul.hpp"

__global__ void kernel(const float* M, float* P, int m, int n) { P[0] = M[0]; }

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  cudaLaunchKernel(reinterpret_cast<const void*>(&tiled_matmul), dim3(1), dim3(1), nullptr, 0, nullptr);
}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
