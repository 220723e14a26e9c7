// Idea: two tile buffers; cp.async (cuda_pipeline.h) loads the next phase while this one is multiplied.

#include <cuda_pipeline.h>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/tiled_matmul.hpp"

constexpr int T = 32;

__device__ void fetch(float* to, const float* from, bool exists) {
  // The fourth argument is the number of bytes of the element that are filled with 0.
  __pipeline_memcpy_async(to, from, sizeof(float), exists ? 0 : sizeof(float));
}

__global__ void tiled_kernel(const float* M, const float* N, float* P, int m, int k, int n) {
  __shared__ float a[2][T][T], b[2][T][T];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
  const int phases = lab::ceil_div(k, T);
  const auto load = [&](int phase) {
    const bool in_M = row < m && phase * T + tx < k, in_N = phase * T + ty < k && col < n;
    fetch(&a[phase % 2][ty][tx], in_M ? M + row * k + phase * T + tx : M, in_M);
    fetch(&b[phase % 2][ty][tx], in_N ? N + (phase * T + ty) * n + col : N, in_N);
    __pipeline_commit();
  };
  load(0);
  float sum = 0;
  for (int phase = 0; phase < phases; ++phase) {
    if (phase + 1 < phases) load(phase + 1);
    __pipeline_wait_prior(phase + 1 < phases ? 1 : 0);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < T; ++i) sum = fmaf(a[phase % 2][ty][i], b[phase % 2][i][tx], sum);
    __syncthreads();
  }
  if (row < m && col < n) P[row * n + col] = sum;
}

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  tiled_kernel<<<dim3(lab::ceil_div(n, T), lab::ceil_div(m, T)), dim3(T, T)>>>(d_M, d_N, d_P, m, k, n);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void dynamic_kernel(const float* M, const float* N, float* P, int m, int k, int n) {
  extern __shared__ float2 tiles[];  // x: of M, y: of N
  const int w = blockDim.x, tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * w + ty, col = blockIdx.x * w + tx;
  float sum = 0;
  for (int first = 0; first < k; first += w) {
    tiles[ty * w + tx].x = row < m && first + tx < k ? M[row * k + first + tx] : 0;
    tiles[ty * w + tx].y = first + ty < k && col < n ? N[(first + ty) * n + col] : 0;
    __syncthreads();
    for (int i = 0; i < w; ++i) sum += tiles[ty * w + i].x * tiles[i * w + tx].y;
    __syncthreads();
  }
  if (row < m && col < n) P[row * n + col] = sum;
}

void tiled_matmul_dynamic(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  cudaDeviceProp device;
  CUDA_CHECK(cudaGetDeviceProperties(&device, 0));
  unsigned w = 32;
  while (w * w > static_cast<unsigned>(device.maxThreadsPerBlock) ||
         w * w * sizeof(float2) > device.sharedMemPerBlock)
    w >>= 1;
  dynamic_kernel<<<{(n + w - 1) / w, (m + w - 1) / w}, {w, w}, w * w * sizeof(float2)>>>(d_M, d_N, d_P, m, k,
                                                                                         n);
  CUDA_CHECK(cudaGetLastError());
}
