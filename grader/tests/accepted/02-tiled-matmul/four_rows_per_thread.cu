// Idea: four rows per thread in the dynamic kernel, so that few threads have a wide tile.

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

    for (int i = 0; i < kTileWidth; ++i) sum += tile_M[ty][i] * tile_N[i][tx];
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

constexpr int kPer = 4;  // rows of P per thread: a block has width × width / 4 threads

__global__ void tiled_kernel_dynamic(const float* M, const float* N, float* P, int m, int k, int n,
                                     int width) {
  extern __shared__ float tiles[];
  float* tile_M = tiles;
  float* tile_N = tiles + width * width;
  const int tx = threadIdx.x;
  const int step = blockDim.y;  // width / kPer, or 1 for the smallest tiles
  const int col = blockIdx.x * width + tx;
  float sums[kPer] = {};
  for (int first = 0; first < k; first += width) {
    for (int r = threadIdx.y; r < width; r += step) {
      const int row = blockIdx.y * width + r;
      tile_M[r * width + tx] = (row < m && first + tx < k) ? M[row * k + first + tx] : 0.0f;
      tile_N[r * width + tx] = (first + r < k && col < n) ? N[(first + r) * n + col] : 0.0f;
    }
    __syncthreads();
    for (int i = 0; i < width; ++i) {
      const float right = tile_N[i * width + tx];
#pragma unroll
      for (int p = 0; p < kPer; ++p) {
        const int r = threadIdx.y + p * step;
        if (r < width) sums[p] += tile_M[r * width + i] * right;
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int p = 0; p < kPer; ++p) {
    const int r = threadIdx.y + p * step, row = blockIdx.y * width + r;
    if (r < width && row < m && col < n) P[row * n + col] = sums[p];
  }
}

int device_attribute(cudaDeviceAttr attribute) {
  int value = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&value, attribute, 0));
  return value;
}

int shared_bytes(int width) { return 2 * width * width * static_cast<int>(sizeof(float)); }
dim3 block_of(int width) { return dim3(width, width > kPer ? width / kPer : 1); }

void tiled_matmul_dynamic(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  const int max_threads = device_attribute(cudaDevAttrMaxThreadsPerBlock);
  const int max_bytes = device_attribute(cudaDevAttrMaxSharedMemoryPerBlock);
  int width = 32;
  while (width > 1 &&
         (int(block_of(width).x * block_of(width).y) > max_threads || shared_bytes(width) > max_bytes))
    width /= 2;
  tiled_kernel_dynamic<<<dim3(lab::ceil_div(n, width), lab::ceil_div(m, width)), block_of(width),
                         shared_bytes(width)>>>(d_M, d_N, d_P, m, k, n, width);
  CUDA_CHECK(cudaGetLastError());
}
