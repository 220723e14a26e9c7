// Launches kernels for ever.
#include "lab/tiled_matmul.hpp"

__global__ void kernel(const float* M, float* P, int m, int n) { P[0] = M[0]; }

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  for (;;) kernel<<<1, 1>>>(d_M, d_P, m, n);
}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
