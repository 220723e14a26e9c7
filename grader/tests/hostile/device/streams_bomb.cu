// A million streams.
#include "lab/tiled_matmul.hpp"

__global__ void kernel(const float* M, float* P, int m, int n) { P[0] = M[0]; }

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  cudaStream_t stream;
  for (int i = 0; i < 1000000; ++i) cudaStreamCreate(&stream);
  kernel<<<1, 64>>>(d_M, d_P, m, n);
}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
