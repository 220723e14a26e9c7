// Frees the output array that the caller passed.
#include "lab/tiled_matmul.hpp"

__global__ void kernel(const float* M, float* P, int m, int n) { P[0] = M[0]; }

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  kernel<<<1, 64>>>(d_M, d_P, m, n);
  cudaFree(d_P);
}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
