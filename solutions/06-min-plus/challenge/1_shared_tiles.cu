// Step 1: tiles in shared memory.
//
// The taught kernel loads 16 floats from global memory per 64 candidates. L1 serves most of them, but each
// load of a warp fetches only 8 or 4 neighbours, and its latency is exposed. Here 128 × 128 elements of r
// share 128 + 128 floats per k: each float from global memory serves 128 candidates, and a thread reads its
// 8 + 8 with 4 loads of 16 bytes. d[i][k] is transposed on its way to shared memory, so that no transposed
// or padded copy of d is needed.
// Counters: l1tex__t_requests_pipe_lsu_mem_global_op_ld; smsp__average_warps_issue_stalled_long_scoreboard.

#include <cmath>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/min_plus.hpp"

namespace {

constexpr int kWarp = 32;
constexpr int kThreads = 256;
constexpr int kTile = 128;     // of r, along each side of a block
constexpr int kPerThread = 8;  // along each side
constexpr int kDepth = 8;      // of a slice along k
constexpr int kLanesI = 4, kLanesJ = 8;
constexpr int kWarpI = kLanesI * kPerThread, kWarpJ = kLanesJ * kPerThread;
constexpr int kWarpsJ = kTile / kWarpJ;
constexpr int kRowI = kTile + 4;  // the transposing stores of a warp then go to 32 banks

struct Tiles {
  float4 aligned_I[kDepth * kRowI / 4];  // transposed
  float4 aligned_J[kDepth * kTile / 4];
  __device__ float* I() { return reinterpret_cast<float*>(aligned_I); }
  __device__ float* J() { return reinterpret_cast<float*>(aligned_J); }
};

// Copies d[i][k] and d[k][j] of the block's tile for kDepth values of k to shared memory. Elements that do
// not exist are infinity, which does not change a minimum.
__device__ void load_slice(Tiles& tiles, const float* d, int first_i, int first_j, int first_k, int n) {
  for (int at = threadIdx.x; at < kTile * kDepth; at += kThreads) {
    const int i = first_i + at / kDepth;
    const int k = first_k + at % kDepth;
    tiles.I()[at % kDepth * kRowI + at / kDepth] = i < n && k < n ? d[i * n + k] : HUGE_VALF;
  }
  for (int at = threadIdx.x; at < kDepth * kTile; at += kThreads) {
    const int k = first_k + at / kTile;
    const int j = first_j + at % kTile;
    tiles.J()[at] = k < n && j < n ? d[k * n + j] : HUGE_VALF;
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

// of_I points to the thread's first row, of_J to its first column.
__device__ void relax(float (&least)[kPerThread][kPerThread], const float* of_I, const float* of_J) {
#pragma unroll
  for (int depth = 0; depth < kDepth; ++depth) {
    float x[kPerThread], y[kPerThread];
    load_pieces(x, of_I + depth * kRowI, 4 * kLanesI);
    load_pieces(y, of_J + depth * kTile, 4 * kLanesJ);
#pragma unroll
    for (int i = 0; i < kPerThread; ++i)
#pragma unroll
      for (int j = 0; j < kPerThread; ++j) least[i][j] = fminf(least[i][j], x[i] + y[j]);
  }
}

__global__ void __launch_bounds__(kThreads, 2) step_kernel(float* r, const float* d, int n) {
  __shared__ Tiles tiles;
  const int first_i = blockIdx.y * kTile;
  const int first_j = blockIdx.x * kTile;
  const int warp = threadIdx.x / kWarp;
  const int lane = threadIdx.x % kWarp;
  const int row = warp / kWarpsJ * kWarpI + lane / kLanesJ * 4;  // the thread's first, in the tile
  const int col = warp % kWarpsJ * kWarpJ + lane % kLanesJ * 4;

  float least[kPerThread][kPerThread];
#pragma unroll
  for (int i = 0; i < kPerThread; ++i)
#pragma unroll
    for (int j = 0; j < kPerThread; ++j) least[i][j] = HUGE_VALF;

  for (int first_k = 0; first_k < n; first_k += kDepth) {
    load_slice(tiles, d, first_i, first_j, first_k, n);
    __syncthreads();  // the tiles are complete
    relax(least, tiles.I() + row, tiles.J() + col);
    __syncthreads();  // all threads are done with the tiles
  }

#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    const int r_row = first_i + row + i / 4 * 4 * kLanesI + i % 4;
#pragma unroll
    for (int j = 0; j < kPerThread; ++j) {
      const int r_col = first_j + col + j / 4 * 4 * kLanesJ + j % 4;
      if (r_row < n && r_col < n) r[r_row * n + r_col] = least[i][j];
    }
  }
}

void launch_step(float* d_r, const float* d_d, int n) {
  const dim3 grid(lab::ceil_div(n, kTile), lab::ceil_div(n, kTile));
  step_kernel<<<grid, kThreads>>>(d_r, d_d, n);
  CUDA_CHECK(cudaGetLastError());
}

}  // namespace

// The same as step() for matrices in device memory.
extern "C" void step_on_device(float* d_r, const float* d_d, int n) { launch_step(d_r, d_d, n); }

void step(float* r, const float* d, int n) {
  const size_t bytes = static_cast<size_t>(n) * n * sizeof(float);
  float *d_d = nullptr, *d_r = nullptr;
  CUDA_CHECK(cudaMalloc(&d_d, bytes));
  CUDA_CHECK(cudaMalloc(&d_r, bytes));
  CUDA_CHECK(cudaMemcpy(d_d, d, bytes, cudaMemcpyHostToDevice));
  launch_step(d_r, d_d, n);
  CUDA_CHECK(cudaMemcpy(r, d_r, bytes, cudaMemcpyDeviceToHost));  // waits for the kernel
  CUDA_CHECK(cudaFree(d_d));
  CUDA_CHECK(cudaFree(d_r));
}
