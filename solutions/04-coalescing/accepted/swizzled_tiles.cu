// Another right answer: one element per thread; instead of padding, row r of a tile has its columns
// exchanged: column c is at c ^ r, so that the elements of a row, and those of a column, are in 32 banks.

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/coalescing.hpp"

struct Tile {
  float words[32 * 32];
  __device__ float& at(int r, int c) { return words[r * 32 + (c ^ r)]; }
};

__global__ void transpose_kernel(const float* in, float* out, int width, int height) {
  __shared__ Tile tile;
  const int x = threadIdx.x, y = threadIdx.y;
  const int left = blockIdx.x * 32, top = blockIdx.y * 32;
  if (top + y < height && left + x < width) tile.at(y, x) = in[(top + y) * width + left + x];
  __syncthreads();
  if (left + y < width && top + x < height) out[(left + y) * height + top + x] = tile.at(x, y);
}

void transpose(const float* d_in, float* d_out, int width, int height) {
  const dim3 grid(lab::ceil_div(width, 32), lab::ceil_div(height, 32));
  transpose_kernel<<<grid, dim3(32, 32)>>>(d_in, d_out, width, height);
  CUDA_CHECK(cudaGetLastError());
}

// The largest block whose threads are all in the first group.
int block_transpose_is_safe(int block_size, int threads_in_step) {
  int largest = 0;
  while ((largest + 1) * (largest + 1) <= threads_in_step) ++largest;
  return block_size <= largest;
}

__global__ void block_transpose_kernel(float* A, int width) {
  __shared__ Tile tile;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  tile.at(threadIdx.y, threadIdx.x) = A[row * width + col];
  __syncthreads();
  A[row * width + col] = tile.at(threadIdx.x, threadIdx.y);
}

void block_transpose(float* d_A, int width, int height, int block_size) {
  const dim3 grid(width / block_size, height / block_size);
  block_transpose_kernel<<<grid, dim3(block_size, block_size)>>>(d_A, width);
  CUDA_CHECK(cudaGetLastError());
}

// The tile of N is transposed while it is stored; so the inner loop is that of lab 02.
__global__ void corner_turning_kernel(const float* M, const float* N, float* P, int m, int k, int n) {
  __shared__ Tile tile_M, tile_N;
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * 32 + y, col = blockIdx.x * 32 + x;
  const int N_col = blockIdx.x * 32 + y;
  float sum = 0.0f;
  for (int phase = 0; phase < lab::ceil_div(k, 32); ++phase) {
    const int i = phase * 32 + x;
    tile_M.at(y, x) = row < m && i < k ? M[row * k + i] : 0.0f;
    tile_N.at(x, y) = N_col < n && i < k ? N[N_col * k + i] : 0.0f;
    __syncthreads();
    for (int j = 0; j < 32; ++j) sum += tile_M.at(y, j) * tile_N.at(j, x);
    __syncthreads();
  }
  if (row < m && col < n) P[row * n + col] = sum;
}

void matmul_corner_turning(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  const dim3 grid(lab::ceil_div(n, 32), lab::ceil_div(m, 32));
  corner_turning_kernel<<<grid, dim3(32, 32)>>>(d_M, d_N, d_P, m, k, n);
  CUDA_CHECK(cudaGetLastError());
}

// threadIdx.x is the lane, threadIdx.y the row within the block; every lane gets the whole sum.
__global__ void matvec_kernel(const float* A, const float* x, float* y, int rows, int columns) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += 32) sum += A[row * columns + i] * x[i];
  for (int distance = 1; distance < 32; distance *= 2) sum += __shfl_xor_sync(0xffffffff, sum, distance);
  if (threadIdx.x == 0) y[row] = sum;
}

void matvec(const float* d_A, const float* d_x, float* d_y, int rows, int columns) {
  matvec_kernel<<<lab::ceil_div(rows, 4), dim3(32, 4)>>>(d_A, d_x, d_y, rows, columns);
  CUDA_CHECK(cudaGetLastError());
}

// Each warp stages its own 32 points, so that a barrier of the warp is enough.
__global__ void aos_to_soa_kernel(const float* coordinates, float* x, float* y, float* z, int n) {
  __shared__ float staged[8][96];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int first = blockIdx.x * 256 + warp * 32;
  for (int j = lane; j < 96; j += 32)
    if (3 * first + j < 3 * n) staged[warp][j] = coordinates[3 * first + j];
  __syncwarp();
  if (first + lane >= n) return;
  x[first + lane] = staged[warp][3 * lane];
  y[first + lane] = staged[warp][3 * lane + 1];
  z[first + lane] = staged[warp][3 * lane + 2];
}

void aos_to_soa(const Point* d_points, float* d_x, float* d_y, float* d_z, int n) {
  aos_to_soa_kernel<<<lab::ceil_div(n, 256), 256>>>(&d_points->x, d_x, d_y, d_z, n);
  CUDA_CHECK(cudaGetLastError());
}
