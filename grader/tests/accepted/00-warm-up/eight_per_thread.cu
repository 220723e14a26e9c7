// Idea: eight elements per thread, and the block size is checked with cudaFuncGetAttributes.
#include <cstddef>
#include <cstdint>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/saxpy.hpp"

namespace {

constexpr int kEach = 8;

__device__ float4 operator*(float a, float4 v) { return make_float4(a * v.x, a * v.y, a * v.z, a * v.w); }
__device__ float4 operator+(float4 u, float4 v) {
  return make_float4(u.x + v.x, u.y + v.y, u.z + v.z, u.w + v.w);
}

// Quad q of the grid's thread t is t + q · (all threads): neighbouring threads have neighbouring quads.
__global__ void axpy_quads(int n, float a, const float* __restrict__ x, float* __restrict__ y) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
#pragma unroll
  for (int q = 0; q < kEach / 4; ++q) {
    const int first = 4 * (thread + q * threads);
    const bool aligned = ((reinterpret_cast<uintptr_t>(x) | reinterpret_cast<uintptr_t>(y)) & 15) == 0;
    if (aligned && first + 4 <= n) {
      float4* const to = reinterpret_cast<float4*>(y + first);
      *to = a * __ldg(reinterpret_cast<const float4*>(x + first)) + *to;
    } else {
      for (int i = first; i < min(first + 4, n); ++i) y[i] = a * x[i] + y[i];
    }
  }
}

}  // namespace

void saxpy(int n, float a, const float* d_x, float* d_y) { CUDA_CHECK(saxpy_in_blocks(n, a, d_x, d_y, 256)); }

cudaError_t saxpy_in_blocks(int n, float a, const float* d_x, float* d_y, int block_threads) {
  cudaFuncAttributes kernel{};
  if (const cudaError_t error = cudaFuncGetAttributes(&kernel, axpy_quads); error != cudaSuccess)
    return error;
  if (block_threads < 1 || block_threads > kernel.maxThreadsPerBlock) return cudaErrorInvalidConfiguration;
  axpy_quads<<<lab::ceil_div(n, kEach * block_threads), block_threads>>>(n, a, d_x, d_y);
  return cudaGetLastError();
}

// The launch with blocks of 256 threads, between copies whose errors are collected.
void saxpy_from_host(int n, float a, const float* h_x, float* h_y) {
  const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(float);
  void *x = nullptr, *y = nullptr;
  cudaError_t error = cudaMalloc(&x, bytes);
  if (!error) error = cudaMalloc(&y, bytes);
  if (!error) error = cudaMemcpy(x, h_x, bytes, cudaMemcpyHostToDevice);
  if (!error) error = cudaMemcpy(y, h_y, bytes, cudaMemcpyHostToDevice);
  if (!error) error = saxpy_in_blocks(n, a, static_cast<float*>(x), static_cast<float*>(y), 256);
  if (!error) error = cudaMemcpy(h_y, y, bytes, cudaMemcpyDeviceToHost);
  cudaFree(y);
  cudaFree(x);
  CUDA_CHECK(error);
}
