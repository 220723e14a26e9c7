// Dynamic shared memory has a tile of M twice as long; each thread reads N itself, and uses it for several rows.
// 02-tiled-matmul.

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


// only M has a tile (width x 2 width); each thread computes `width` rows of one column and reads N from global memory
template <int W>
__global__ void tiled_kernel_dynamic(const float* M, const float* N, float* P, int m, int k, int n) {
  extern __shared__ float tile_M[];  // [W][2 W]
  const int tx = threadIdx.x;
  const int first = blockIdx.y * W;
  const int col = blockIdx.x * W + tx;
  float sums[W] = {};
  for (int phase = 0; phase < lab::ceil_div(k, 2 * W); ++phase) {
    for (int r = 0; r < W; ++r)
      for (int c = tx; c < 2 * W; c += W)
        tile_M[r * 2 * W + c] = (first + r < m && phase * 2 * W + c < k) ? M[(first + r) * k + phase * 2 * W + c] : 0.0f;
    __syncthreads();
    for (int i = 0; i < 2 * W; ++i) {
      const int N_row = phase * 2 * W + i;
      const float value = (N_row < k && col < n) ? N[N_row * n + col] : 0.0f;
#pragma unroll
      for (int r = 0; r < W; ++r) sums[r] += tile_M[r * 2 * W + i] * value;
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < W; ++r)
    if (first + r < m && col < n) P[(first + r) * n + col] = sums[r];
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
  const dim3 grid(lab::ceil_div(n, width), lab::ceil_div(m, width));
  const int bytes = shared_bytes(width);
  if (width == 32) tiled_kernel_dynamic<32><<<grid, 32, bytes>>>(d_M, d_N, d_P, m, k, n);
  if (width == 16) tiled_kernel_dynamic<16><<<grid, 16, bytes>>>(d_M, d_N, d_P, m, k, n);
  if (width == 8) tiled_kernel_dynamic<8><<<grid, 8, bytes>>>(d_M, d_N, d_P, m, k, n);
  if (width == 4) tiled_kernel_dynamic<4><<<grid, 4, bytes>>>(d_M, d_N, d_P, m, k, n);
  if (width == 2) tiled_kernel_dynamic<2><<<grid, 2, bytes>>>(d_M, d_N, d_P, m, k, n);
  if (width == 1) tiled_kernel_dynamic<1><<<grid, 1, bytes>>>(d_M, d_N, d_P, m, k, n);
  CUDA_CHECK(cudaGetLastError());
}
