// Idea: tiles of 64 x 64 with eight consecutive rows in each thread, as in a well-known tutorial.

// 02-tiled-matmul, the reference solution. P = M × N; M is m × k, N is k × n, P is m × n, all row-major.
//
// n threads need each element of M and m threads need each element of N. A block therefore goes
// along k in phases: its threads fetch one tile of M and one tile of N together, each element once, and then
// all of them read the tiles from shared memory. This requests kTileWidth times fewer global bytes
// than without tiles.

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/tiled_matmul.hpp"

// ---- A. Tiles of a fixed width ----

constexpr int kTileWidth = 16;  // 256 threads and 2 KiB of shared memory per block

// siboehm's kernel 4 (1D block tiling), with guards
constexpr int BM = 64, BN = 64, BK = 8, TM = 8;
__global__ void sgemm1DBlocktiling(int M, int N, int K, const float* A, const float* B, float* C) {
  const uint cRow = blockIdx.y;
  const uint cCol = blockIdx.x;
  const int threadCol = threadIdx.x % BN;
  const int threadRow = threadIdx.x / BN;
  __shared__ float As[BM * BK];
  __shared__ float Bs[BK * BN];
  const uint innerColA = threadIdx.x % BK;
  const uint innerRowA = threadIdx.x / BK;
  const uint innerColB = threadIdx.x % BN;
  const uint innerRowB = threadIdx.x / BN;
  float threadResults[TM] = {0.0};
  for (uint bkIdx = 0; bkIdx < K; bkIdx += BK) {
    const uint ra = cRow * BM + innerRowA, ca = bkIdx + innerColA, rb = bkIdx + innerRowB,
               cb = cCol * BN + innerColB;
    As[innerRowA * BK + innerColA] = ra < M && ca < K ? A[ra * K + ca] : 0.0f;
    Bs[innerRowB * BN + innerColB] = rb < K && cb < N ? B[rb * N + cb] : 0.0f;
    __syncthreads();
    for (uint dotIdx = 0; dotIdx < BK; ++dotIdx) {
      float tmpB = Bs[dotIdx * BN + threadCol];
      for (uint resIdx = 0; resIdx < TM; ++resIdx) {
        threadResults[resIdx] += As[(threadRow * TM + resIdx) * BK + dotIdx] * tmpB;
      }
    }
    __syncthreads();
  }
  for (uint resIdx = 0; resIdx < TM; ++resIdx) {
    const uint r = cRow * BM + threadRow * TM + resIdx, c = cCol * BN + threadCol;
    if (r < M && c < N) C[r * N + c] = threadResults[resIdx];
  }
}
void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  sgemm1DBlocktiling<<<dim3(lab::ceil_div(n, BN), lab::ceil_div(m, BM)), (BM * BN) / TM>>>(m, n, k, d_M, d_N,
                                                                                           d_P);
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
