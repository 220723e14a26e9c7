// Idea: x and y are rows of pitched memory, copied by cudaMemcpy2D; the launch is a call of cudaLaunchKernel
// that returns its own error.
#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/saxpy.hpp"

__global__ void saxpy_kernel(int n, float a, const float* x, float* y) {
  // The blocks before this one have blockDim.x threads each.
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];  // the last block can have more threads than elements
}

void saxpy(int n, float a, const float* d_x, float* d_y) {
  constexpr int kThreads = 256;  // 8 warps per block; a device has room for many such blocks
  saxpy_kernel<<<lab::ceil_div(n, kThreads), kThreads>>>(n, a, d_x, d_y);
  CUDA_CHECK(cudaGetLastError());  // a launch returns nothing, so get its error
}

cudaError_t saxpy_in_blocks(int n, float a, const float* d_x, float* d_y, int block_threads) {
  const dim3 block(block_threads), grid(block_threads > 0 ? (n - 1) / block_threads + 1 : 1);
  void* args[] = {&n, &a, &d_x, &d_y};
  const cudaError_t e =
      cudaLaunchKernel(reinterpret_cast<const void*>(&saxpy_kernel), grid, block, args, 0, nullptr);
  cudaGetLastError();
  return e;
}
void saxpy_from_host(int n, float a, const float* h_x, float* h_y) {
  float* d = nullptr;
  size_t pitch = 0;
  CUDA_CHECK(cudaMallocPitch(&d, &pitch, n * sizeof(float), 2));
  float* y = d + pitch / sizeof(float);
  CUDA_CHECK(cudaMemcpy2D(d, pitch, h_x, n * 4ul, n * 4ul, 1, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy2D(y, pitch, h_y, n * 4ul, n * 4ul, 1, cudaMemcpyHostToDevice));
  saxpy(n, a, d, y);
  CUDA_CHECK(cudaMemcpy2D(h_y, n * 4ul, y, pitch, n * 4ul, 1, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d));
}
