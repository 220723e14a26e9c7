// 04-coalescing: let neighbouring threads touch neighbouring addresses.
//
// Do the TODOs in order and check after each group:   warpgrade check 04-coalescing
// TODO 1 to 10 are the core, worth 100 points; the bonus comes on top.
// README.md explains the task, hints.md helps when you are stuck. Budgets count lines of code.

#include "lab/ceil_div.hpp"  // lab::ceil_div(33, 16) = 3
#include "lab/check.hpp"     // CUDA_CHECK(call)
#include "lab/coalescing.hpp"

constexpr int kTile = 32;  // one row of a tile is one warp
constexpr int kWarp = 32;

// ---- A. Transpose: `in` has `height` rows of `width` floats, `out` has `width` rows of `height` floats ----

__global__ void transpose_kernel(const float* in, float* out, int width, int height) {
  // TODO 2 (1 line): a tile of kTile × kTile floats in shared memory.

  // TODO 3 (about 5 lines): load the tile, 4 elements per thread if the block has 32 × 8 threads, so that
  //   threadIdx.x runs along a row of `in`. Guard the edges. Then wait until the tile is complete.

  // TODO 4 (about 5 lines): store the tile so that threadIdx.x runs along a row of `out`. Where in `out` is
  //   the tile? Which element of the tile does a thread take? Now "transpose" passes.

  // TODO 5 (a small change of TODO 2): no bank conflicts. Now "transpose-traffic" passes.
}

void transpose(const float* d_in, float* d_out, int width, int height) {
  // TODO 1 (about 4 lines): a block for every tile; launch, and check with CUDA_CHECK(cudaGetLastError()).
}

// ---- B. Corner turning: P = M × N; N is stored by columns, element (row, col) is N[col * k + row] ----

__global__ void corner_turning_kernel(const float* M, const float* N, float* P, int m, int k, int n) {
  // TODO 6 (about 15 lines): the tiled product of lab 02 with tiles of kTile × kTile. Load the tile of N so
  //   that threadIdx.x runs along a column of N, where its elements are neighbours. Now a row of tile_N holds
  //   a piece of a column of N: what does the inner loop read, and which tile needs padding for it?
}

void matmul_corner_turning(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  // TODO 7 (about 4 lines): choose block and grid, launch, check. Now "corner" and "corner-traffic" pass.
}

// ---- C. Matrix × vector: y = A · x, one warp per row ----

__global__ void matvec_kernel(const float* A, const float* x, float* y, int rows, int columns) {
  // TODO 8 (about 5 lines): which row does this thread's warp compute, and which lane is the thread? A warp
  //   without a row returns. Then the lane's own sum: elements lane, lane + 32, lane + 64, … of the row.

  // TODO 9 (about 2 lines): add the lanes' sums with __shfl_down_sync(~0u, sum, distance); lane 0 stores.
}

void matvec(const float* d_A, const float* d_x, float* d_y, int rows, int columns) {
  // TODO 10 (about 3 lines): blocks of 256 threads, 8 rows each. Now "matvec" and "matvec-traffic" pass.
}

// ---- D. Bonus, the lectures' puzzle: does this kernel transpose every tile of A in place? ----

__global__ void block_transpose_kernel(float* A, int width) {
  __shared__ float tile[kTile][kTile];  // block_size, which is blockDim.x and blockDim.y, is at most 32
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.y][threadIdx.x] = A[row * width + col];
  A[row * width + col] = tile[threadIdx.x][threadIdx.y];
}

int block_transpose_is_safe(int block_size, int threads_in_step) {
  // TODO 11 (1 line): is the kernel above, unchanged, right for blocks of block_size × block_size threads?
  //   1: always. 0: not always. Threads 0 to threads_in_step - 1 of a block execute each instruction
  //   together, so do the next threads_in_step, and so on; different groups run in any order. Now "puzzle"
  //   passes.
  return 2;
}

void block_transpose(float* d_A, int width, int height, int block_size) {
  // TODO 12 (1 line, in the kernel above): fix it for every block size. Now "block-transpose" passes.
  // TODO 13 (a small change, also in the kernel): no bank conflicts. Now "bank-conflicts" passes.
  const dim3 block(block_size, block_size);
  const dim3 grid(width / block_size, height / block_size);
  block_transpose_kernel<<<grid, block>>>(d_A, width);
  CUDA_CHECK(cudaGetLastError());
}

// ---- E. Bonus: array of structures to structure of arrays ----

__global__ void aos_to_soa_kernel(const float* coordinates, float* x, float* y, float* z, int n) {
  // TODO 14 (about 9 lines): the block's points are 3 · blockDim.x neighbouring floats. Load them into shared
  //   memory with coalesced loads, wait, and store each point's x, y and z. The last block has fewer points.
}

void aos_to_soa(const Point* d_points, float* d_x, float* d_y, float* d_z, int n) {
  // TODO 15 (about 4 lines): launch. `&d_points->x` is the first of 3 · n floats. Now "soa" and
  //   "soa-traffic" pass.
}
