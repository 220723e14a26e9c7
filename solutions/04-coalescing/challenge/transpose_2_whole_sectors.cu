// Step 2: every run of stores begins with a whole sector.
//
// With 8191 rows, the rows of `out` begin anywhere in a sector of 32 bytes. A run of 64 floats then ends
// within a sector, and another block writes the rest later: L2 merges the two parts only if both arrive in
// time, otherwise DRAM must read the sector first. Here the run of each row of `out` is moved back by up to
// 7 floats, to a multiple of 8. A block therefore reads 8 more rows of `in`. Consecutive blocks go down, so
// that those that run at the same time write neighbouring parts of the same rows of `out`.
// Counters: lts__t_sectors_op_write; dram__sectors_read, which exceeds the size of `in` without this step.

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/coalescing.hpp"

namespace {

constexpr int kTile = 64;
constexpr int kSector = 8;              // floats
constexpr int kRows = kTile + kSector;  // of `in` that a block reads
constexpr int kThreads = 512;
constexpr int kBlocksPerSm = 4;             // the most that fit, if the compiler uses at most 32 registers
constexpr int kRowStep = kThreads / kTile;  // rows that the block moves at the same time
constexpr int kLoads = kRows / kRowStep;    // per thread
constexpr int kStores = kTile / kRowStep;

__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    transpose_kernel(const float* in, float* out, int width, int height) {
  const int tiles_down = lab::ceil_div(height + kSector - 1, kTile);
  const int tile_x = blockIdx.x / tiles_down;
  const int tile_y = blockIdx.x % tiles_down;
  __shared__ float tile[kRows][kTile + 1];
  const int x = threadIdx.x % kTile;
  const int y = threadIdx.x / kTile;

  const int first_row = tile_y * kTile - kSector;  // of `in` in the tile; negative for the first blocks
  const int in_col = tile_x * kTile + x;
  float moved[kLoads];
#pragma unroll
  for (int i = 0; i < kLoads; ++i) {
    const int row = first_row + y + i * kRowStep;
    if (row >= 0 && row < height && in_col < width) moved[i] = in[row * width + in_col];
  }
#pragma unroll
  for (int i = 0; i < kLoads; ++i) tile[y + i * kRowStep][x] = moved[i];
  __syncthreads();  // the tile is complete

#pragma unroll
  for (int i = 0; i < kStores; ++i) {
    const int column = y + i * kRowStep;  // of the tile
    const int out_row = tile_x * kTile + column;
    // The index of the run's first element, without moving it back; unsigned, so that it may wrap around.
    const unsigned run = static_cast<unsigned>(out_row) * height + tile_y * kTile;
    const int row = kSector - static_cast<int>(run % kSector) + x;  // of the tile
    const int out_col = first_row + row;
    if (out_row < width && out_col >= 0 && out_col < height)
      out[out_row * height + out_col] = tile[row][column];
  }
}

}  // namespace

void transpose(const float* d_in, float* d_out, int width, int height) {
  // One element more than a multiple of the tile needs one more block, and so do the 7 that moving back can
  // add.
  const int grid = lab::ceil_div(width, kTile) * lab::ceil_div(height + kSector - 1, kTile);
  transpose_kernel<<<grid, kThreads>>>(d_in, d_out, width, height);
  CUDA_CHECK(cudaGetLastError());
}
