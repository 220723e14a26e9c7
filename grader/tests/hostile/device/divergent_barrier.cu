// Bad input: half of a warp waits at a barrier that the other half never reaches.
#include "lab/tiled_matmul.hpp"

__global__ void half_waits(float* P) {
  if (threadIdx.x % 32 < 16) {
    P[threadIdx.x] = 1.0f;
    __syncthreads();
  }
  P[threadIdx.x] += 2.0f;
}

void tiled_matmul(const float*, const float*, float* d_P, int, int, int) { half_waits<<<1, 64>>>(d_P); }
void tiled_matmul_dynamic(const float*, const float*, float* d_P, int, int, int) { half_waits<<<1, 64>>>(d_P); }
