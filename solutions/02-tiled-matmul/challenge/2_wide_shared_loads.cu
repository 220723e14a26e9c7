// Step 2: loads of 16 bytes from shared memory, and an order of the FFMA that suits the register file.
//
// Each load is an instruction in whose place the scheduler issues no FFMA. With M's tile transposed, a
// thread reads its 8 + 8 floats with 4 loads instead of 16. A warp computes 32 × 64 elements of P: its 4 ×
// 8 lanes read 4 + 8 different pieces of 16 bytes, without bank conflicts. An FFMA reads three registers;
// the register file has two banks, and each delivers one register per clock. A third one is free if the
// previous FFMA has read it in the same place. So the order goes through one row of sums forwards and
// through the next one backwards.
// Counters: smsp__average_warps_issue_stalled_dispatch_stall (the banks); smsp__inst_executed_pipe_lsu.

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/tiled_matmul.hpp"

namespace {

constexpr int kWarp = 32;
constexpr int kThreads = 256;
constexpr int kTile = 128;     // of P, along each side of a block
constexpr int kPerThread = 8;  // along each side
constexpr int kDepth = 8;      // of a slice along k
constexpr int kLanesM = 4, kLanesN = 8;
constexpr int kWarpM = kLanesM * kPerThread, kWarpN = kLanesN * kPerThread;
constexpr int kWarpsN = kTile / kWarpN;
constexpr int kRowM = kTile + 4;  // the transposing stores of a warp then go to 32 banks

struct Tiles {
  float4 aligned_M[kDepth * kRowM / 4];  // transposed
  float4 aligned_N[kDepth * kTile / 4];
  __device__ float* M() { return reinterpret_cast<float*>(aligned_M); }
  __device__ float* N() { return reinterpret_cast<float*>(aligned_N); }
};

// Copies columns first_k, … of M and rows first_k, … of N to shared memory; 0 for elements that do not exist.
__device__ void load_slice(Tiles& tiles, const float* M, const float* N, int first_row, int first_col,
                           int first_k, int m, int k, int n) {
  for (int i = threadIdx.x; i < kTile * kDepth; i += kThreads) {
    const int row = first_row + i / kDepth;
    const int col = first_k + i % kDepth;
    tiles.M()[i % kDepth * kRowM + i / kDepth] = row < m && col < k ? M[row * k + col] : 0.0f;
  }
  for (int i = threadIdx.x; i < kDepth * kTile; i += kThreads) {
    const int row = first_k + i / kTile;
    const int col = first_col + i % kTile;
    tiles.N()[i] = row < k && col < n ? N[row * n + col] : 0.0f;
  }
}

// Two pieces of four neighbouring floats, `step` floats apart: neighbouring lanes read neighbouring pieces.
__device__ void load_pieces(float (&to)[kPerThread], const float* from, int step) {
#pragma unroll
  for (int i = 0; i < kPerThread; i += 4) {
    const float4 piece = *reinterpret_cast<const float4*>(from + i / 4 * step);
    to[i] = piece.x, to[i + 1] = piece.y, to[i + 2] = piece.z, to[i + 3] = piece.w;
  }
}

// of_M points to the thread's first row, of_N to its first column.
__device__ void multiply(float (&sums)[kPerThread][kPerThread], const float* of_M, const float* of_N) {
#pragma unroll
  for (int depth = 0; depth < kDepth; ++depth) {
    float a[kPerThread], b[kPerThread];
    load_pieces(a, of_M + depth * kRowM, 4 * kLanesM);
    load_pieces(b, of_N + depth * kTile, 4 * kLanesN);
#pragma unroll
    for (int i = 0; i < kPerThread; ++i)
#pragma unroll
      for (int step = 0; step < kPerThread; ++step) {
        const int j = i % 2 == 0 ? step : kPerThread - 1 - step;
        sums[i][j] += a[i] * b[j];
      }
  }
}

__global__ void __launch_bounds__(kThreads, 2)
    product_kernel(const float* M, const float* N, float* P, int m, int k, int n) {
  __shared__ Tiles tiles;
  const int first_row = blockIdx.y * kTile;
  const int first_col = blockIdx.x * kTile;
  const int warp = threadIdx.x / kWarp;
  const int lane = threadIdx.x % kWarp;
  const int row = warp / kWarpsN * kWarpM + lane / kLanesN * 4;  // the thread's first, in the tile
  const int col = warp % kWarpsN * kWarpN + lane % kLanesN * 4;

  float sums[kPerThread][kPerThread] = {};
  for (int first_k = 0; first_k < k; first_k += kDepth) {
    load_slice(tiles, M, N, first_row, first_col, first_k, m, k, n);
    __syncthreads();  // the tiles are complete
    multiply(sums, tiles.M() + row, tiles.N() + col);
    __syncthreads();  // all threads are done with the tiles
  }

#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    const int P_row = first_row + row + i / 4 * 4 * kLanesM + i % 4;
#pragma unroll
    for (int j = 0; j < kPerThread; ++j) {
      const int P_col = first_col + col + j / 4 * 4 * kLanesN + j % 4;
      if (P_row < m && P_col < n) P[P_row * n + P_col] = sums[i][j];
    }
  }
}

}  // namespace

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  const dim3 grid(lab::ceil_div(n, kTile), lab::ceil_div(m, kTile));
  product_kernel<<<grid, kThreads>>>(d_M, d_N, d_P, m, k, n);
  CUDA_CHECK(cudaGetLastError());
}
