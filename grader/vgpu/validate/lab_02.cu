// Calls lab 02's functions, so that a profiler can watch their kernels. Linked once with the solution and
// once with the baseline, which have the same names.

#include <cstdio>
#include <vector>

#include "lab/tiled_matmul.hpp"

namespace {

float* upload(int count) {
  std::vector<float> values(count);
  for (int i = 0; i < count; ++i) values[i] = static_cast<float>(i % 31) / 31;
  float* d_values = nullptr;
  cudaMalloc(reinterpret_cast<void**>(&d_values), count * sizeof(float));
  cudaMemcpy(d_values, values.data(), count * sizeof(float), cudaMemcpyHostToDevice);
  return d_values;
}

void multiply(int m, int k, int n) {
  float *M = upload(m * k), *N = upload(k * n), *P = upload(m * n);
  tiled_matmul(M, N, P, m, k, n);
  tiled_matmul_dynamic(M, N, P, m, k, n);
  for (float* matrix : {M, N, P}) cudaFree(matrix);
}

}  // namespace

int main() {
  multiply(256, 256, 256);
  multiply(100, 100, 100);
  multiply(257, 16, 3);
  const cudaError_t error = cudaDeviceSynchronize();
  if (error == cudaSuccess) return 0;
  return std::fprintf(stderr, "%s\n", cudaGetErrorString(error)), 1;
}
