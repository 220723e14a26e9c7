// Bad input: a kernel that never ends.
#include "lab/tiled_matmul.hpp"

__global__ void spin(float* P) {
  volatile float* out = P;
  while (out[0] != 42.0f) out[0] = 1.0f;
}

void tiled_matmul(const float*, const float*, float* d_P, int, int, int) { spin<<<1, 1>>>(d_P); }
void tiled_matmul_dynamic(const float*, const float*, float* d_P, int, int, int) { spin<<<1, 1>>>(d_P); }
