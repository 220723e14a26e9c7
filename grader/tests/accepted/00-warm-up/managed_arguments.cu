// Idea: the arguments are in a __managed__ structure, which the host fills in before the launch.

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/saxpy.hpp"

struct Arguments {
  int n;
  float a;
  const float* x;
  float* y;
};

__managed__ Arguments arguments;
__managed__ unsigned long long calls;  // for statistics only

__global__ void saxpy_kernel() {
  const auto [n, a, x, y] = arguments;
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) return;
  y[i] = a * x[i] + y[i];
}

cudaError_t saxpy_in_blocks(int n, float a, const float* d_x, float* d_y, int block_threads) {
  CUDA_CHECK(cudaDeviceSynchronize());  // no kernel still reads the arguments
  arguments = {n, a, d_x, d_y};
  ++calls;
  saxpy_kernel<<<block_threads == 0 ? 1 : lab::ceil_div(n, block_threads), block_threads>>>();
  return cudaGetLastError();
}

void saxpy(int n, float a, const float* d_x, float* d_y) { CUDA_CHECK(saxpy_in_blocks(n, a, d_x, d_y, 256)); }

void saxpy_from_host(int n, float a, const float* h_x, float* h_y) {
  float* d_arrays[2] = {};
  for (float*& d_array : d_arrays) CUDA_CHECK(cudaMalloc(&d_array, n * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(d_arrays[0], h_x, n * sizeof(float), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_arrays[1], h_y, n * sizeof(float), cudaMemcpyHostToDevice));
  saxpy(n, a, d_arrays[0], d_arrays[1]);
  CUDA_CHECK(cudaMemcpy(h_y, d_arrays[1], n * sizeof(float), cudaMemcpyDeviceToHost));
  for (float* d_array : d_arrays) CUDA_CHECK(cudaFree(d_array));
}
