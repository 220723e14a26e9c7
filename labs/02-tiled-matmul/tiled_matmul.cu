// 02-tiled-matmul: P = M × N with tiles in shared memory. M is m × k, N is k × n, P is m × n, all row-major.
//
// Do the TODOs in order and check after each group:   warpgrade check 02-tiled-matmul
// README.md explains the task, hints.md helps when you are stuck. Budgets count lines of code.

#include "lab/ceil_div.hpp"  // lab::ceil_div(33, 16) = 3
#include "lab/check.hpp"     // CUDA_CHECK(call)
#include "lab/tiled_matmul.hpp"

// ---- A. Tiles of a fixed width ----

constexpr int kTileWidth = 16;  // a block has kTileWidth × kTileWidth threads; each computes one element of P

__global__ void tiled_kernel(const float* M, const float* N, float* P, int m, int k, int n) {
  // TODO 2 (about 2 lines): declare two tiles in shared memory, one for M and one for N.

  // TODO 3 (about 5 lines): which row and column of P does this thread compute? Start its sum at 0.

  // TODO 4 (about 9 lines): for every phase along k
  //   - load one element of each tile; all threads of the block together load both tiles
  //   - wait until both tiles are complete
  //   - add the products of this thread's row of the M tile and column of the N tile to its sum
  //   - wait until no thread needs the tiles any more

  // TODO 5 (1 line): store the sum.
  //   Now "tiling" passes: m, k and n are multiples of the tile width.

  // TODO 6 (about 4 lines change): make it right for every m, k, n ≥ 1.
  //   How many phases are there? Which loads would leave the matrix, and what belongs in the tile instead?
  //   Which threads must not store? Now "boundary" passes.
}

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  // TODO 1 (about 4 lines): choose block and grid so that every element of P has a thread, launch
  //   tiled_kernel, and check the launch with CUDA_CHECK(cudaGetLastError()).
}

// ---- B. The tile width is chosen at run time ----

__global__ void tiled_kernel_dynamic(const float* M, const float* N, float* P, int m, int k, int n) {
  // TODO 7 (about 4 lines differ from A): the tile width is blockDim.x. Both tiles are stored one after the
  //   other in one `extern __shared__ float` array without a size; index them as 1D arrays.
}

// The largest power of two, at most 32, so that width² threads and two tiles of width² floats fit a block.
int choose_tile_width() {
  // TODO 8 (about 8 lines): ask the device with cudaDeviceGetAttribute for cudaDevAttrMaxThreadsPerBlock
  //   and cudaDevAttrMaxSharedMemoryPerBlock (in bytes).
  return 1;
}

void tiled_matmul_dynamic(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  // TODO 9 (about 5 lines): launch with the chosen width; the third launch argument is a block's shared
  //   memory in bytes. Now "dynamic" passes.
}
