// Lanes of one warp wait for a lock that one of them holds.
#include "lab/tiled_matmul.hpp"

__device__ int lock;

__global__ void kernel(const float* M, float* P, int m, int n) {
  while (atomicCAS(&lock, 0, 1) != 0) {
  }
  P[threadIdx.x] = M[0];
  if (P[0] > 1e30f) lock = 0;
}

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  kernel<<<1, 64>>>(d_M, d_P, m, n);
}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
