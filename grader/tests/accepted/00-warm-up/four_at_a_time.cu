// Idea: float4 loads and stores, four elements per thread, and the same kernel's first threads do the tail.

#include <cstdint>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/saxpy.hpp"

__device__ __forceinline__ float4 operator*(float a, float4 v) {
  return make_float4(a * v.x, a * v.y, a * v.z, a * v.w);
}
__device__ __forceinline__ float4& operator+=(float4& a, const float4& b) {
  a.x += b.x, a.y += b.y, a.z += b.z, a.w += b.w;
  return a;
}

template <bool kAligned>
__global__ void saxpy_kernel(int n, float a, const float* x, float* y) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned quads = kAligned ? n / 4 : 0;
  if constexpr (kAligned) {
    if (t < quads) reinterpret_cast<float4*>(y)[t] += a * reinterpret_cast<const float4*>(x)[t];
  }
  for (unsigned i = 4 * quads + t; i < static_cast<unsigned>(n); i += gridDim.x * blockDim.x)
    y[i] += a * x[i];
}

void launch(int n, float a, const float* d_x, float* d_y, int threads) {
  const int blocks = threads > 0 ? lab::ceil_div(lab::ceil_div(n, 4), threads) : 1;
  const bool aligned =
      (reinterpret_cast<std::uintptr_t>(d_x) | reinterpret_cast<std::uintptr_t>(d_y)) % 16 == 0;
  (aligned ? saxpy_kernel<true> : saxpy_kernel<false>)<<<blocks, threads>>>(n, a, d_x, d_y);
}

void saxpy(int n, float a, const float* d_x, float* d_y) {
  launch(n, a, d_x, d_y, 256);
  CUDA_CHECK(cudaPeekAtLastError());
}

cudaError_t saxpy_in_blocks(int n, float a, const float* d_x, float* d_y, int block_threads) {
  launch(n, a, d_x, d_y, block_threads);
  return cudaGetLastError();
}

// Both arrays are rows of one pitched allocation.
void saxpy_from_host(int n, float a, const float* h_x, float* h_y) {
  char* rows = nullptr;
  size_t pitch = 0;
  CUDA_CHECK(cudaMallocPitch(&rows, &pitch, n * sizeof(float), 2));
  CUDA_CHECK(cudaMemcpy2D(rows, pitch, h_x, pitch, n * sizeof(float), 1, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy2D(rows + pitch, pitch, h_y, pitch, n * sizeof(float), 1, cudaMemcpyHostToDevice));
  saxpy(n, a, reinterpret_cast<float*>(rows), reinterpret_cast<float*>(rows + pitch));
  CUDA_CHECK(cudaMemcpy(h_y, rows + pitch, n * sizeof(float), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(rows));
}
