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

// The arrays are registered, and the copies of the two halves are in different streams.
void saxpy_from_host(int n, float a, const float* h_x, float* h_y) {
  const size_t bytes = n * sizeof(float);
  float *d_x, *d_y;
  CUDA_CHECK(cudaHostRegister(const_cast<float*>(h_x), bytes, cudaHostRegisterDefault));
  CUDA_CHECK(cudaHostRegister(h_y, bytes, cudaHostRegisterDefault));
  CUDA_CHECK(cudaMalloc(&d_x, bytes));
  CUDA_CHECK(cudaMalloc(&d_y, bytes));
  cudaStream_t both[2];
  for (int s = 0; s < 2; ++s) {
    const int first = s * (n / 2), length = s == 0 ? n / 2 : n - n / 2;
    CUDA_CHECK(cudaStreamCreate(&both[s]));
    if (length == 0) continue;
    const size_t part = length * sizeof(float);
    CUDA_CHECK(cudaMemcpyAsync(d_x + first, h_x + first, part, cudaMemcpyHostToDevice, both[s]));
    CUDA_CHECK(cudaMemcpyAsync(d_y + first, h_y + first, part, cudaMemcpyHostToDevice, both[s]));
    saxpy_1d_kernel<<<(length + 255) / 256, 256, 0, both[s]>>>(length, a, d_x + first, d_y + first);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpyAsync(h_y + first, d_y + first, part, cudaMemcpyDeviceToHost, both[s]));
  }
  for (cudaStream_t& stream : both) {
    CUDA_CHECK(cudaStreamSynchronize(stream));
    CUDA_CHECK(cudaStreamDestroy(stream));
  }
  CUDA_CHECK(cudaFree(d_x));
  CUDA_CHECK(cudaFree(d_y));
  CUDA_CHECK(cudaHostUnregister(const_cast<float*>(h_x)));
  CUDA_CHECK(cudaHostUnregister(h_y));
}
