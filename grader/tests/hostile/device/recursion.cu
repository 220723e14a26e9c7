// Recurses endlessly.
#include "lab/tiled_matmul.hpp"

__device__ __noinline__ float deep(float x, int n) { return n < 0 ? x : deep(x + 1, n + 1) * x; }

__global__ void kernel(const float* M, float* P, int m, int n) { P[0] = deep(M[0], n); }

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  kernel<<<1, 64>>>(d_M, d_P, m, n);
}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
