// Prints from every thread for ever.
#include <cstdio>

#include "lab/tiled_matmul.hpp"

__global__ void kernel(const float* M, float* P, int m, int n) {
  for (;;) printf("a line of text that no one reads, from thread %d\n", threadIdx.x);
}

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  kernel<<<1, 64>>>(d_M, d_P, m, n);
}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
