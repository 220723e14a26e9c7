// A program whose kernel calls an approximate function, and lets its result decide a branch.
#include <cstdio>

#include <cuda_runtime.h>

__global__ void damp(float* values, int n) {
  const int i = static_cast<int>(threadIdx.x);
  if (i >= n) return;
  const float factor = __expf(values[i]);
  if (factor > 0.5f) values[i] *= factor;
}

int main() {
  float* values = nullptr;
  if (cudaMalloc(&values, 32 * sizeof(float)) != cudaSuccess) return 1;
  cudaMemset(values, 0, 32 * sizeof(float));
  damp<<<1, 32>>>(values, 32);
  const bool worked = cudaDeviceSynchronize() == cudaSuccess && cudaFree(values) == cudaSuccess;
  std::puts(worked ? "done" : "failed");
}
