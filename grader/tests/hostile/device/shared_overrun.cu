// Writes past its shared memory.
#include "lab/tiled_matmul.hpp"

__global__ void kernel(const float* M, float* P, int m, int n) {
  __shared__ float tile[32];
  tile[threadIdx.x + 64 * n] = M[0];
  P[0] = tile[0];
}

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  kernel<<<1, 64>>>(d_M, d_P, m, n);
}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
