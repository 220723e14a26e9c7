// Accepted: threads without an element return, one fused operation for the others, and one host function for
// both entries. A call that fails throws an exception, which ends the program with its message.

#include <stdexcept>

#include "lab/ceil_div.hpp"
#include "lab/saxpy.hpp"

void require(cudaError_t result) {
  if (result != cudaSuccess) throw std::runtime_error(cudaGetErrorString(result));
}

__global__ void multiply_and_add(unsigned n, float a, const float* x, float* y) {
  const unsigned thread = blockDim.x * blockIdx.x + threadIdx.x;
  if (thread >= n) return;
  y[thread] = fmaf(a, x[thread], y[thread]);
}

void saxpy(int n, float a, const float* d_x, float* d_y) { require(saxpy_in_blocks(n, a, d_x, d_y, 256)); }

cudaError_t saxpy_in_blocks(int n, float a, const float* d_x, float* d_y, int block_threads) {
  dim3 block(block_threads);
  dim3 grid(block_threads == 0 ? 1 : lab::ceil_div(n, block_threads));
  multiply_and_add<<<grid, block>>>(n, a, d_x, d_y);
  const cudaError_t launched = cudaGetLastError();
  if (launched != cudaSuccess) return launched;
  return cudaDeviceSynchronize();
}

/// An array in device memory, which is freed at the end of the scope.
struct DeviceCopy {
  DeviceCopy(const float* h_values, int n) : bytes(n * sizeof(float)) {
    require(cudaMalloc(&values, bytes));
    require(cudaMemcpy(values, h_values, bytes, cudaMemcpyDefault));
  }
  ~DeviceCopy() { cudaFree(values); }

  size_t bytes;
  float* values = nullptr;
};

void saxpy_from_host(int n, float a, const float* h_x, float* h_y) {
  const DeviceCopy x(h_x, n), y(h_y, n);
  saxpy(n, a, x.values, y.values);
  require(cudaMemcpy(h_y, y.values, y.bytes, cudaMemcpyDefault));
}
