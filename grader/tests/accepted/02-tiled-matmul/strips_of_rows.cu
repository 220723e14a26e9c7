// Idea: a thread computes four rows of a 32 × 32 tile from registers; blocks have 32 × 8 threads, also
// dynamic.

#include <algorithm>
#include <iterator>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/tiled_matmul.hpp"

constexpr int kRowsEach = 4;

// width × (width / each) threads; `each` rows of P per thread, width / each apart.
template <int kEach>
__device__ void product(float* tile_M, float* tile_N, int width, const float* M, const float* N, float* P,
                        int m, int k, int n) {
  const int tx = threadIdx.x, high = width / kEach;
  const int col = blockIdx.x * width + tx;
  float sums[kEach] = {};
  for (int phase = 0; phase < k; phase += width) {
#pragma unroll
    for (int e = 0; e < kEach; ++e) {
      const int ty = threadIdx.y + e * high, row = blockIdx.y * width + ty;
      tile_M[ty * width + tx] = row < m && phase + tx < k ? M[row * k + phase + tx] : 0.0f;
      tile_N[ty * width + tx] = phase + ty < k && col < n ? N[(phase + ty) * n + col] : 0.0f;
    }
    __syncthreads();
    for (int i = 0; i < width; ++i) {
      const float value = tile_N[i * width + tx];
#pragma unroll
      for (int e = 0; e < kEach; ++e) sums[e] += tile_M[(threadIdx.y + e * high) * width + i] * value;
    }
    __syncthreads();
  }
#pragma unroll
  for (int e = 0; e < kEach; ++e) {
    const int row = blockIdx.y * width + threadIdx.y + e * high;
    if (row < m && col < n) P[row * n + col] = sums[e];
  }
}

__global__ void __launch_bounds__(256, 2)
    tiled_kernel(const float* M, const float* N, float* P, int m, int k, int n) {
  __shared__ float tile_M[32 * 32], tile_N[32 * 32];
  product<kRowsEach>(tile_M, tile_N, 32, M, N, P, m, k, n);
}

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  tiled_kernel<<<dim3(lab::ceil_div(n, 32), lab::ceil_div(m, 32)), dim3(32, 32 / kRowsEach)>>>(d_M, d_N, d_P,
                                                                                               m, k, n);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void dynamic_kernel(const float* M, const float* N, float* P, int m, int k, int n) {
  extern __shared__ float tiles[];
  product<1>(tiles, tiles + blockDim.x * blockDim.x, blockDim.x, M, N, P, m, k, n);
}

void tiled_matmul_dynamic(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  cudaFuncAttributes attributes;
  int threads = 0, shared = 0;
  CUDA_CHECK(cudaFuncGetAttributes(&attributes, dynamic_kernel));
  CUDA_CHECK(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerBlock, 0));
  CUDA_CHECK(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlock, 0));
  shared -= static_cast<int>(attributes.sharedSizeBytes);
  constexpr int kWidths[] = {32, 16, 8, 4, 2, 1};
  const int width = *std::find_if(std::begin(kWidths), std::end(kWidths), [&](int w) {
    return w * w <= threads && 2 * w * w * int(sizeof(float)) <= shared;
  });
  const dim3 grid(lab::ceil_div(n, width), lab::ceil_div(m, width));
  dynamic_kernel<<<grid, dim3(width, width), 2 * width * width * sizeof(float)>>>(d_M, d_N, d_P, m, k, n);
  CUDA_CHECK(cudaGetLastError());
}
