// Mistake: blockIdx.x counts rows, the grid counts columns along x, and there are no guards yet.

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/tiled_matmul.hpp"

// ---- A. Tiles of a fixed width ----

constexpr int kTileWidth = 16;

__global__ void tiled_kernel(const float* M, const float* N, float* P, int m, int k, int n) {
  __shared__ float tile_M[kTileWidth][kTileWidth];
  __shared__ float tile_N[kTileWidth][kTileWidth];

  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.x * kTileWidth + ty;
  const int col = blockIdx.y * kTileWidth + tx;

  float sum = 0.0f;
  for (int phase = 0; phase < lab::ceil_div(k, kTileWidth); ++phase) {
    const int M_col = phase * kTileWidth + tx;
    const int N_row = phase * kTileWidth + ty;
    tile_M[ty][tx] = M[row * k + M_col];
    tile_N[ty][tx] = N[N_row * n + col];
    __syncthreads();

    for (int i = 0; i < kTileWidth; ++i) sum += tile_M[ty][i] * tile_N[i][tx];
    __syncthreads();
  }

  P[row * n + col] = sum;
}

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  const dim3 block(kTileWidth, kTileWidth);
  const dim3 grid(lab::ceil_div(n, kTileWidth), lab::ceil_div(m, kTileWidth));
  tiled_kernel<<<grid, block>>>(d_M, d_N, d_P, m, k, n);
  CUDA_CHECK(cudaGetLastError());
}

// ---- B. The tile width is chosen at run time ----

__global__ void tiled_kernel_dynamic(const float* M, const float* N, float* P, int m, int k, int n) {
  extern __shared__ float tiles[];
  const int width = blockDim.x;
  float* tile_M = tiles;
  float* tile_N = tiles + width * width;

  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * width + ty;
  const int col = blockIdx.x * width + tx;

  float sum = 0.0f;
  for (int phase = 0; phase < lab::ceil_div(k, width); ++phase) {
    const int M_col = phase * width + tx;
    const int N_row = phase * width + ty;
    tile_M[ty * width + tx] = M[row * k + M_col];
    tile_N[ty * width + tx] = N[N_row * n + col];
    __syncthreads();

    for (int i = 0; i < width; ++i) sum += tile_M[ty * width + i] * tile_N[i * width + tx];
    __syncthreads();
  }

  P[row * n + col] = sum;
}

int shared_bytes(int width) { return 2 * width * width * static_cast<int>(sizeof(float)); }

int device_attribute(cudaDeviceAttr attribute) {
  int device = 0;
  int value = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&value, attribute, device));
  return value;
}

int choose_tile_width() {
  const int max_threads = device_attribute(cudaDevAttrMaxThreadsPerBlock);
  const int max_shared_bytes = device_attribute(cudaDevAttrMaxSharedMemoryPerBlock);
  int width = 32;
  while (width > 1 && (width * width > max_threads || shared_bytes(width) > max_shared_bytes)) width /= 2;
  return width;
}

void tiled_matmul_dynamic(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  const int width = choose_tile_width();
  const dim3 block(width, width);
  const dim3 grid(lab::ceil_div(n, width), lab::ceil_div(m, width));
  tiled_kernel_dynamic<<<grid, block, shared_bytes(width)>>>(d_M, d_N, d_P, m, k, n);
  CUDA_CHECK(cudaGetLastError());
}
