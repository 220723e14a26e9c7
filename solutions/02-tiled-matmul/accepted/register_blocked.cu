// Accepted: 32 × 8 threads work on 32 × 32 tiles. Each thread computes four elements of a column of P, so one
// element of the N tile, once in a register, serves four products.

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/tiled_matmul.hpp"

constexpr int kTile = 32;
constexpr int kThreadRows = 8;
constexpr int kPerThread = kTile / kThreadRows;

// The element of a rows × cols matrix, or 0 outside it.
__device__ float element_or_zero(const float* matrix, int rows, int cols, int row, int col) {
  return row < rows && col < cols ? matrix[row * cols + col] : 0.0f;
}

__global__ void tiled_kernel(const float* M, const float* N, float* P, int m, int k, int n) {
  __shared__ float M_s[kTile][kTile];
  __shared__ float N_s[kTile][kTile];
  const int tx = threadIdx.x;
  const int first_row = blockIdx.y * kTile;
  const int col = blockIdx.x * kTile + tx;

  float sums[kPerThread] = {};
  for (int first_k = 0; first_k < k; first_k += kTile) {
    for (int y = threadIdx.y; y < kTile; y += kThreadRows) {
      M_s[y][tx] = element_or_zero(M, m, k, first_row + y, first_k + tx);
      N_s[y][tx] = element_or_zero(N, k, n, first_k + y, col);
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTile; ++i) {
      const float from_N = N_s[i][tx];
#pragma unroll
      for (int j = 0; j < kPerThread; ++j) sums[j] += M_s[threadIdx.y + j * kThreadRows][i] * from_N;
    }
    __syncthreads();
  }

#pragma unroll
  for (int j = 0; j < kPerThread; ++j) {
    const int row = first_row + threadIdx.y + j * kThreadRows;
    if (row < m && col < n) P[row * n + col] = sums[j];
  }
}

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  const dim3 block(kTile, kThreadRows);
  const dim3 grid(lab::ceil_div(n, kTile), lab::ceil_div(m, kTile));
  tiled_kernel<<<grid, block>>>(d_M, d_N, d_P, m, k, n);
  CUDA_CHECK(cudaGetLastError());
}

// A block is a row of width² threads here; each finds its own place in the tile.
__global__ void tiled_kernel_dynamic(const float* M, const float* N, float* P, int m, int k, int n,
                                     int width) {
  extern __shared__ float tiles[];
  float* M_s = tiles;
  float* N_s = tiles + width * width;
  const int here = threadIdx.x;
  const int ty = here / width;
  const int tx = here % width;
  const int row = blockIdx.y * width + ty;
  const int col = blockIdx.x * width + tx;

  float sum = 0.0f;
  for (int first_k = 0; first_k < k; first_k += width) {
    M_s[here] = element_or_zero(M, m, k, row, first_k + tx);
    N_s[here] = element_or_zero(N, k, n, first_k + ty, col);
    __syncthreads();
    for (int i = 0; i < width; ++i) sum += M_s[ty * width + i] * N_s[i * width + tx];
    __syncthreads();
  }
  if (row < m && col < n) P[row * n + col] = sum;
}

void tiled_matmul_dynamic(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  int max_threads = 0;
  int max_shared_bytes = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&max_threads, cudaDevAttrMaxThreadsPerBlock, 0));
  CUDA_CHECK(cudaDeviceGetAttribute(&max_shared_bytes, cudaDevAttrMaxSharedMemoryPerBlock, 0));

  int width = 1;
  for (int candidate = 2; candidate <= 32; candidate *= 2) {
    const int threads = candidate * candidate;
    const int tile_bytes = threads * static_cast<int>(sizeof(float));
    if (threads <= max_threads && 2 * tile_bytes <= max_shared_bytes) width = candidate;
  }

  const dim3 grid(lab::ceil_div(n, width), lab::ceil_div(m, width));
  const int shared_bytes = 2 * width * width * static_cast<int>(sizeof(float));
  tiled_kernel_dynamic<<<grid, width * width, shared_bytes>>>(d_M, d_N, d_P, m, k, n, width);
  CUDA_CHECK(cudaGetLastError());
}
