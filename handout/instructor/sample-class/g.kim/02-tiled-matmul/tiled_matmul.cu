#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/tiled_matmul.hpp"

constexpr int kTileWidth = 16;

__global__ void tiled_kernel(const float* M, const float* N, float* P, int m, int k, int n) {
  __shared__ float M_tile[kTileWidth][kTileWidth];
  __shared__ float N_tile[kTileWidth][kTileWidth];
  const int row = blockIdx.y * kTileWidth + threadIdx.y;
  const int col = blockIdx.x * kTileWidth + threadIdx.x;
  float sum = 0.0f;
  for (int phase = 0; phase * kTileWidth < k; ++phase) {
    const int i = phase * kTileWidth + threadIdx.x;
    const int j = phase * kTileWidth + threadIdx.y;
    M_tile[threadIdx.y][threadIdx.x] = row < m && i < k ? M[row * k + i] : 0.0f;
    N_tile[threadIdx.y][threadIdx.x] = j < k && col < n ? N[j * n + col] : 0.0f;
    __syncthreads();
    for (int l = 0; l < kTileWidth; ++l) sum += M_tile[threadIdx.y][l] * N_tile[l][threadIdx.x];
    __syncthreads();
  }
  if (row < m && col < n) P[row * n + col] = sum;
}

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  const dim3 block(kTileWidth, kTileWidth);
  const dim3 grid(lab::ceil_div(n, kTileWidth), lab::ceil_div(m, kTileWidth));
  tiled_kernel<<<grid, block>>>(d_M, d_N, d_P, m, k, n);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void tiled_kernel_dynamic(const float* M, const float* N, float* P, int m, int k, int n) {
  extern __shared__ float tiles[];
  const int width = blockDim.x;
  float* M_tile = tiles;
  float* N_tile = tiles + width * width;
  const int here = threadIdx.y * width + threadIdx.x;
  const int row = blockIdx.y * width + threadIdx.y;
  const int col = blockIdx.x * width + threadIdx.x;
  float sum = 0.0f;
  for (int phase = 0; phase * width < k; ++phase) {
    const int i = phase * width + threadIdx.x;
    const int j = phase * width + threadIdx.y;
    M_tile[here] = row < m && i < k ? M[row * k + i] : 0.0f;
    N_tile[here] = j < k && col < n ? N[j * n + col] : 0.0f;
    __syncthreads();
    for (int l = 0; l < width; ++l) sum += M_tile[threadIdx.y * width + l] * N_tile[l * width + threadIdx.x];
    __syncthreads();
  }
  if (row < m && col < n) P[row * n + col] = sum;
}

void tiled_matmul_dynamic(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  int max_threads = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&max_threads, cudaDevAttrMaxThreadsPerBlock, 0));
  int width = 32;
  while (width * width > max_threads) width /= 2;

  const dim3 block(width, width);
  const dim3 grid(lab::ceil_div(n, width), lab::ceil_div(m, width));
  const int one_tile = width * width * sizeof(float);
  tiled_kernel_dynamic<<<grid, block, one_tile>>>(d_M, d_N, d_P, m, k, n);
  CUDA_CHECK(cudaGetLastError());
}
