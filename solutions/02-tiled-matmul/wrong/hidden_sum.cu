// Mistake: a second `sum` hides the first.

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/tiled_matmul.hpp"

// ---- A. Tiles of a fixed width ----

constexpr int kTileWidth = 16;  // 256 threads and 2 KiB of shared memory per block

__global__ void tiled_kernel(const float* M, const float* N, float* P, int m, int k, int n) {
  __shared__ float tile_M[kTileWidth][kTileWidth];
  __shared__ float tile_N[kTileWidth][kTileWidth];

  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * kTileWidth + ty;
  const int col = blockIdx.x * kTileWidth + tx;

  float sum = 0.0f;
  for (int phase = 0; phase < lab::ceil_div(k, kTileWidth); ++phase) {
    const int M_col = phase * kTileWidth + tx;
    const int N_row = phase * kTileWidth + ty;
    // Consecutive tx read consecutive addresses of both matrices. Elements outside a matrix count as 0,
    // which adds nothing to any sum; threads without an element of P still load their share for the others.
    tile_M[ty][tx] = (row < m && M_col < k) ? M[row * k + M_col] : 0.0f;
    tile_N[ty][tx] = (N_row < k && col < n) ? N[N_row * n + col] : 0.0f;
    __syncthreads();  // both tiles are complete before any thread reads another thread's elements

    for (int i = 0; i < kTileWidth; ++i) {
      float sum = 0;
      sum += tile_M[ty][i] * tile_N[i][tx];
    }
    __syncthreads();  // all threads are done with these tiles before the next phase overwrites them
  }

  if (row < m && col < n) P[row * n + col] = sum;
}

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  const dim3 block(kTileWidth, kTileWidth);
  const dim3 grid(lab::ceil_div(n, kTileWidth), lab::ceil_div(m, kTileWidth));  // x runs along columns
  tiled_kernel<<<grid, block>>>(d_M, d_N, d_P, m, k, n);
  CUDA_CHECK(cudaGetLastError());
}

// ---- B. The tile width is chosen at run time ----

__global__ void tiled_kernel_dynamic(const float* M, const float* N, float* P, int m, int k, int n) {
  extern __shared__ float tiles[];  // the third launch argument sets its size
  const int width = blockDim.x;     // equals blockDim.y
  float* tile_M = tiles;            // [width][width]
  float* tile_N = tiles + width * width;

  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * width + ty;
  const int col = blockIdx.x * width + tx;

  float sum = 0.0f;
  for (int phase = 0; phase < lab::ceil_div(k, width); ++phase) {
    const int M_col = phase * width + tx;
    const int N_row = phase * width + ty;
    tile_M[ty * width + tx] = (row < m && M_col < k) ? M[row * k + M_col] : 0.0f;
    tile_N[ty * width + tx] = (N_row < k && col < n) ? N[N_row * n + col] : 0.0f;
    __syncthreads();  // the tiles are complete

    for (int i = 0; i < width; ++i) sum += tile_M[ty * width + i] * tile_N[i * width + tx];
    __syncthreads();  // the tiles may be overwritten
  }

  if (row < m && col < n) P[row * n + col] = sum;
}

// Dynamic shared memory that a block with two tiles needs, in bytes.
int shared_bytes(int width) { return 2 * width * width * static_cast<int>(sizeof(float)); }

int device_attribute(cudaDeviceAttr attribute) {
  int device = 0;
  int value = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&value, attribute, device));
  return value;
}

// A wider tile saves more traffic, so take the widest that fits a block of this device.
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
