// As one_tile_only, but each float of N goes through a word of shared memory that only its own thread uses.
// 02-tiled-matmul.

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/tiled_matmul.hpp"

constexpr int kTileWidth = 16;


constexpr int R = 16;  // rows per thread; only the tile of M is shared; N goes through a word of the thread
__global__ void half_tiled(const float* M, const float* N, float* P, int m, int k, int n) {
  __shared__ float tile_M[R][32];
  __shared__ volatile float own[64];
  const int t = threadIdx.x, row0 = blockIdx.y * R, col = blockIdx.x * 64 + t;
  float sums[R] = {};
  for (int p = 0; p < k; p += 32) {
    for (int e = t; e < R * 32; e += 64) { const int r = row0 + e / 32, c = p + e % 32; tile_M[e / 32][e % 32] = r < m && c < k ? M[r * k + c] : 0.f; }
    __syncthreads();
    for (int i = 0; i < 32; ++i) {
      own[t] = p + i < k && col < n ? N[(p + i) * n + col] : 0.f;
      const float v = own[t];
#pragma unroll
      for (int r = 0; r < R; ++r) sums[r] += tile_M[r][i] * v;
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < R; ++r) if (row0 + r < m && col < n) P[(row0 + r) * n + col] = sums[r];
}
void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  half_tiled<<<dim3(lab::ceil_div(n, 64), lab::ceil_div(m, R)), 64>>>(d_M, d_N, d_P, m, k, n);
  CUDA_CHECK(cudaGetLastError());
}
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
    tile_M[ty * width + tx] = (row < m && M_col < k) ? M[row * k + M_col] : 0.0f;
    tile_N[ty * width + tx] = (N_row < k && col < n) ? N[N_row * n + col] : 0.0f;
    __syncthreads();

    for (int i = 0; i < width; ++i) sum += tile_M[ty * width + i] * tile_N[i * width + tx];
    __syncthreads();
  }

  if (row < m && col < n) P[row * n + col] = sum;
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
