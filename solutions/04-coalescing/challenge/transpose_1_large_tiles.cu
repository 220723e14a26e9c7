// Step 1: tiles of 64 × 64, and all loads of a thread before its first store.
//
// The bound is a copy: 4 bytes read and 4 bytes written per element. A tile of 32 × 32 reads and writes
// runs of 128 bytes, a tile of 64 × 64 runs of 256 bytes, of which fewer end within a sector of 32 bytes.
// Each thread loads its 8 elements into registers before it stores the first, so that 8 loads are in flight
// per thread instead of as many as the compiler dares to move before the stores.
// Counters: dram__throughput; lts__t_sectors_op_write.

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/coalescing.hpp"

namespace {

constexpr int kTile = 64;
constexpr int kThreads = 512;
constexpr int kRowStep = kThreads / kTile;  // rows that the block moves at the same time
constexpr int kPerThread = kTile / kRowStep;

__global__ void __launch_bounds__(kThreads)
    transpose_kernel(const float* in, float* out, int width, int height) {
  // 65 words per row: a column is in 32 different banks.
  __shared__ float tile[kTile][kTile + 1];
  const int tiles_right = lab::ceil_div(width, kTile);
  const int tile_x = blockIdx.x % tiles_right;
  const int tile_y = blockIdx.x / tiles_right;
  const int x = threadIdx.x % kTile;
  const int y = threadIdx.x / kTile;

  const int in_col = tile_x * kTile + x;
  const int in_row = tile_y * kTile + y;
  float moved[kPerThread];
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    const int row = in_row + i * kRowStep;
    if (row < height && in_col < width) moved[i] = in[row * width + in_col];
  }
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) tile[y + i * kRowStep][x] = moved[i];
  __syncthreads();  // the tile is complete

  const int out_col = tile_y * kTile + x;
  const int out_row = tile_x * kTile + y;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    const int row = out_row + i * kRowStep;
    if (row < width && out_col < height) out[row * height + out_col] = tile[x][y + i * kRowStep];
  }
}

}  // namespace

void transpose(const float* d_in, float* d_out, int width, int height) {
  const int grid = lab::ceil_div(width, kTile) * lab::ceil_div(height, kTile);
  transpose_kernel<<<grid, kThreads>>>(d_in, d_out, width, height);
  CUDA_CHECK(cudaGetLastError());
}
