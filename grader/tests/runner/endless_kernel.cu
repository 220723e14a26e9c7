// A kernel that never ends.
#include "lab/tiled_matmul.hpp"

namespace {
__global__ void spin(volatile float* P) {
  while (P[0] != 42.0F) {
  }
}
}  // namespace

void tiled_matmul(const float*, const float*, float* d_P, int, int, int) { spin<<<1, 32>>>(d_P); }
