// Idea: the occupancy calculator chooses the grid, whose threads stride; impossible blocks are refused by
// asking the device.

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/saxpy.hpp"

__global__ void saxpy_kernel(int n, float a, const float* x, float* y) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = fmaf(a, x[i], y[i]);
}

int blocks_for(int n, int threads) {
  static int sms = 0;
  if (sms == 0) CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  int per_sm = 0;
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, saxpy_kernel, threads, 0));
  return min(lab::ceil_div(n, threads), per_sm * sms);
}

void saxpy(int n, float a, const float* d_x, float* d_y) {
  constexpr int kThreads = 256;  // 8 warps per block; a device has room for many such blocks
  saxpy_kernel<<<blocks_for(n, kThreads), kThreads>>>(n, a, d_x, d_y);
  CUDA_CHECK(cudaGetLastError());  // a launch returns nothing, so get its error
}

cudaError_t saxpy_in_blocks(int n, float a, const float* d_x, float* d_y, int block_threads) {
  cudaFuncAttributes kernel{};
  CUDA_CHECK(cudaFuncGetAttributes(&kernel, saxpy_kernel));
  if (block_threads < 1 || block_threads > kernel.maxThreadsPerBlock) return cudaErrorInvalidConfiguration;
  saxpy_kernel<<<blocks_for(n, block_threads), block_threads>>>(n, a, d_x, d_y);
  return cudaGetLastError();  // also resets the error, so that later calls do not return it
}

// Stream-ordered memory in the default stream.
void saxpy_from_host(int n, float a, const float* h_x, float* h_y) {
  float *d_x, *d_y;
  CUDA_CHECK(cudaMallocAsync(&d_x, n * sizeof(float), nullptr));
  CUDA_CHECK(cudaMallocAsync(&d_y, n * sizeof(float), nullptr));
  CUDA_CHECK(cudaMemcpyAsync(d_x, h_x, n * sizeof(float), cudaMemcpyDefault));
  CUDA_CHECK(cudaMemcpyAsync(d_y, h_y, n * sizeof(float), cudaMemcpyDefault));
  saxpy(n, a, d_x, d_y);
  CUDA_CHECK(cudaMemcpyAsync(h_y, d_y, n * sizeof(float), cudaMemcpyDefault));
  CUDA_CHECK(cudaFreeAsync(d_y, nullptr));
  CUDA_CHECK(cudaFreeAsync(d_x, nullptr));
  CUDA_CHECK(cudaDeviceSynchronize());
}
