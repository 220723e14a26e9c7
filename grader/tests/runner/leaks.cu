// Leaks one of its two arrays.
#include "lab/tiled_matmul.hpp"

void tiled_matmul(const float*, const float*, float*, int m, int, int n) {
  float *kept = nullptr, *lost = nullptr;
  cudaMalloc(&kept, sizeof(float) * m);
  cudaMalloc(&lost, sizeof(float) * n);
  cudaFree(kept);
}
