// Step 1: 8 × 8 elements of P per thread, in registers.
//
// The taught kernel reads two floats from shared memory per FFMA, and shared memory delivers 32 floats per
// clock and SM, while the SM can execute 128 FFMA per clock. 8 + 8 floats in registers serve 64 FFMA: a
// quarter of a read per FFMA. A block computes 128 × 128 elements of P, so that it uses each element of a
// tile 128 times.
// Counters: l1tex__data_pipe_lsu_wavefronts_mem_shared falls; sm__inst_executed_pipe_fma rises.

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/tiled_matmul.hpp"

namespace {

constexpr int kSide = 16;      // threads along each side of a block
constexpr int kPerThread = 8;  // elements of P along each side of a thread's share
constexpr int kTile = kSide * kPerThread;
constexpr int kDepth = 8;  // of a slice along k
constexpr int kThreads = kSide * kSide;

// Copies columns first_k, … of M and rows first_k, … of N to shared memory; 0 for elements that do not exist.
__device__ void load_slice(float (&tile_M)[kTile][kDepth + 1], float (&tile_N)[kDepth][kTile], const float* M,
                           const float* N, int first_row, int first_col, int first_k, int m, int k, int n) {
  for (int i = threadIdx.x; i < kTile * kDepth; i += kThreads) {
    const int row = first_row + i / kDepth;
    const int col = first_k + i % kDepth;
    tile_M[i / kDepth][i % kDepth] = row < m && col < k ? M[row * k + col] : 0.0f;
  }
  for (int i = threadIdx.x; i < kDepth * kTile; i += kThreads) {
    const int row = first_k + i / kTile;
    const int col = first_col + i % kTile;
    tile_N[i / kTile][i % kTile] = row < k && col < n ? N[row * n + col] : 0.0f;
  }
}

__global__ void __launch_bounds__(kThreads)
    product_kernel(const float* M, const float* N, float* P, int m, int k, int n) {
  // 9 words per row: rows that neighbouring lanes read are in different banks.
  __shared__ float tile_M[kTile][kDepth + 1];
  __shared__ float tile_N[kDepth][kTile];
  const int x = threadIdx.x % kSide;  // the thread computes rows y, y + 16, … and columns x, x + 16, …
  const int y = threadIdx.x / kSide;
  const int first_row = blockIdx.y * kTile;
  const int first_col = blockIdx.x * kTile;

  float sums[kPerThread][kPerThread] = {};
  for (int first_k = 0; first_k < k; first_k += kDepth) {
    load_slice(tile_M, tile_N, M, N, first_row, first_col, first_k, m, k, n);
    __syncthreads();  // the tiles are complete
#pragma unroll
    for (int depth = 0; depth < kDepth; ++depth) {
      float a[kPerThread], b[kPerThread];
#pragma unroll
      for (int i = 0; i < kPerThread; ++i) {
        a[i] = tile_M[y + i * kSide][depth];
        b[i] = tile_N[depth][x + i * kSide];
      }
#pragma unroll
      for (int i = 0; i < kPerThread; ++i)
#pragma unroll
        for (int j = 0; j < kPerThread; ++j) sums[i][j] += a[i] * b[j];
    }
    __syncthreads();  // all threads are done with the tiles
  }

#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    const int row = first_row + y + i * kSide;
#pragma unroll
    for (int j = 0; j < kPerThread; ++j) {
      const int col = first_col + x + j * kSide;
      if (row < m && col < n) P[row * n + col] = sums[i][j];
    }
  }
}

}  // namespace

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  const dim3 grid(lab::ceil_div(n, kTile), lab::ceil_div(m, kTile));
  product_kernel<<<grid, kThreads>>>(d_M, d_N, d_P, m, k, n);
  CUDA_CHECK(cudaGetLastError());
}
