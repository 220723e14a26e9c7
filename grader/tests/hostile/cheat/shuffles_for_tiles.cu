// No tile: operands are exchanged by shuffles.

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/tiled_matmul.hpp"

// ---- A. Tiles of a fixed width ----

constexpr int kRows = 16;

// One warp computes 16 x 32 elements of P. No tile: M goes from lane to lane by shuffles.
__global__ void no_tile(const float* M, const float* N, float* P, int m, int k, int n) {
  const int lane = threadIdx.x;
  const int col = blockIdx.x * 32 + lane;
  const int row = (blockIdx.y * 4 + threadIdx.y) * kRows;
  if (row >= m) return;
  float sum[kRows] = {};
  for (int k0 = 0; k0 < k; k0 += 32) {
    float a[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r) a[r] = row + r < m && k0 + lane < k ? M[(row + r) * k + k0 + lane] : 0.0f;
    for (int i = 0; i < 32; ++i) {
      const float b = k0 + i < k && col < n ? N[(k0 + i) * n + col] : 0.0f;
#pragma unroll
      for (int r = 0; r < kRows; ++r) sum[r] += __shfl_sync(0xffffffffu, a[r], i) * b;
    }
  }
#pragma unroll
  for (int r = 0; r < kRows; ++r)
    if (row + r < m && col < n) P[(row + r) * n + col] = sum[r];
}

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  const dim3 grid(lab::ceil_div(n, 32), lab::ceil_div(m, 4 * kRows));
  no_tile<<<grid, dim3(32, 4)>>>(d_M, d_N, d_P, m, k, n);
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
