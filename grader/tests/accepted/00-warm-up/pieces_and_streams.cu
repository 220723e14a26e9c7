// Idea: the host divides the arrays recursively; pieces go to two streams with priorities; threads are 2D.

#include "lab/check.hpp"
#include "lab/saxpy.hpp"

using Operation = float (*)(float, float, float);
__device__ float saxpy_of(float a, float x, float y) { return a * x + y; }
__device__ Operation const kOperations[] = {saxpy_of};

__global__ void saxpy_kernel(int n, float a, const float* x, float* y) {
  const int t = threadIdx.y * blockDim.x + threadIdx.x;  // blocks of 32 × 8 threads
  const int i = n - 1 - static_cast<int>(blockIdx.x * blockDim.x * blockDim.y + t);  // from the end
  if (i >= 0) y[i] = kOperations[0](a, x[i], y[i]);
}

__global__ void saxpy_1d_kernel(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = saxpy_of(a, x[i], y[i]);
}

static cudaStream_t streams[2];

void halves(int n, float a, const float* d_x, float* d_y, int depth) {
  if (n > 32 * 1024) {
    const int half = n / 2 / 4 * 4;
    halves(half, a, d_x, d_y, depth + 1);
    halves(n - half, a, d_x + half, d_y + half, depth + 2);
    return;
  }
  saxpy_kernel<<<(n + 255) / 256, {32, 8}, 0, streams[depth % 2]>>>(n, a, d_x, d_y);
  CUDA_CHECK(cudaGetLastError());
}

void saxpy(int n, float a, const float* d_x, float* d_y) {
  int least = 0, greatest = 0;
  CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  CUDA_CHECK(cudaStreamCreateWithPriority(&streams[0], cudaStreamNonBlocking, least));
  CUDA_CHECK(cudaStreamCreateWithPriority(&streams[1], cudaStreamNonBlocking, greatest));
  CUDA_CHECK(cudaDeviceSynchronize());  // the caller's arrays are complete
  halves(n, a, d_x, d_y, 0);
  for (cudaStream_t& stream : streams) {
    CUDA_CHECK(cudaStreamSynchronize(stream));
    CUDA_CHECK(cudaStreamDestroy(stream));
  }
}

cudaError_t saxpy_in_blocks(int n, float a, const float* d_x, float* d_y, int block_threads) {
  saxpy_1d_kernel<<<n / (block_threads > 0 ? block_threads : 1) + 1, block_threads, 0, cudaStreamPerThread>>>(
      n, a, d_x, d_y);
  const cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) CUDA_CHECK(cudaStreamSynchronize(cudaStreamPerThread));
  return error;
}
