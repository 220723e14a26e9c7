// Idea: tiles are filled with cp.async and cooperative groups; reductions with cg::reduce.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_pipeline.h>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/coalescing.hpp"

namespace cg = cooperative_groups;

template <int kRows, int kCols>
struct Tile {
  float at[kRows][kCols + 1];
  // Element (r, c) of the tile becomes element (row + r, col + c) of a matrix, or 0 where that does not
  // exist.
  __device__ void load(const float* matrix, int rows, int cols, int row, int col) {
    for (int r = threadIdx.y; r < kRows; r += blockDim.y)
      for (int c = threadIdx.x; c < kCols; c += blockDim.x)
        if (row + r < rows && col + c < cols)
          __pipeline_memcpy_async(&at[r][c], &matrix[(row + r) * cols + col + c], sizeof(float));
        else
          at[r][c] = 0;
    __pipeline_commit();
  }
  __device__ static void wait() {
    __pipeline_wait_prior(0);
    __syncthreads();
  }
};

__global__ void transpose_kernel(const float* in, float* out, int width, int height) {
  __shared__ Tile<32, 32> tile;
  for (int r = threadIdx.y; r < 32; r += blockDim.y)
    if (const int row = blockIdx.y * 32 + r, col = blockIdx.x * 32 + threadIdx.x; row < height && col < width)
      tile.at[r][threadIdx.x] = in[row * width + col];
  cg::this_thread_block().sync();
  for (int r = threadIdx.y; r < 32; r += blockDim.y) {
    const int row = blockIdx.x * 32 + r, col = blockIdx.y * 32 + threadIdx.x;
    if (row < width && col < height) out[row * height + col] = tile.at[threadIdx.x][r];
  }
}

void transpose(const float* d_in, float* d_out, int width, int height) {
  transpose_kernel<<<dim3(lab::ceil_div(width, 32), lab::ceil_div(height, 32)), dim3(32, 4)>>>(d_in, d_out,
                                                                                               width, height);
  CUDA_CHECK(cudaGetLastError());
}

int block_transpose_is_safe(int block_size, int threads_in_step) {
  // Thread t needs what thread t' stores; both must be in the same group.
  for (int y = 0; y < block_size; ++y)
    for (int x = 0; x < y; ++x)
      if ((y * block_size + x) / threads_in_step != (x * block_size + y) / threads_in_step) return 0;
  return 1;
}

__global__ void block_transpose_kernel(float* A, int width) {
  __shared__ float tile[32][33];
  const auto block = cg::this_thread_block();
  const dim3 t = block.thread_index(), b = block.group_index();
  float& element = A[(b.y * block.group_dim().y + t.y) * width + b.x * block.group_dim().x + t.x];
  tile[t.y][t.x] = element;
  block.sync();
  element = tile[t.x][t.y];
}

void block_transpose(float* d_A, int width, int height, int block_size) {
  const unsigned side = block_size;
  block_transpose_kernel<<<{width / side, height / side}, {side, side}>>>(d_A, width);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void corner_kernel(const float* M, const float* N, float* P, int m, int k, int n) {
  __shared__ Tile<32, 32> tile_M, tile_N;
  const int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < k; i += 32) {
    tile_M.load(M, m, k, blockIdx.y * 32, i);
    tile_N.load(N, n, k, blockIdx.x * 32, i);
    tile_N.wait();
#pragma unroll
    for (int j = 0; j < 32; ++j) sum += tile_M.at[threadIdx.y][j] * tile_N.at[threadIdx.x][j];
    __syncthreads();
  }
  if (row < m && col < n) P[row * n + col] = sum;
}

void matmul_corner_turning(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  corner_kernel<<<dim3(lab::ceil_div(n, 32), lab::ceil_div(m, 32)), dim3(32, 32)>>>(d_M, d_N, d_P, m, k, n);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void matvec_kernel(const float* A, const float* x, float* y, int rows, int columns) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int row = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
  if (row >= rows) return;
  float sum = 0;
  for (int i = warp.thread_rank(); i < columns; i += warp.size()) sum = fmaf(A[row * columns + i], x[i], sum);
  sum = cg::reduce(warp, sum, cg::plus<float>());
  if (warp.thread_rank() == 0) y[row] = sum;
}

void matvec(const float* d_A, const float* d_x, float* d_y, int rows, int columns) {
  matvec_kernel<<<lab::ceil_div(rows, 4), 128>>>(d_A, d_x, d_y, rows, columns);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void points_kernel(const Point* points, float* x, float* y, float* z, int n) {
  __shared__ Point mine[128];
  const int first = blockIdx.x * 128, count = min(128, n - first);
  const float* from = reinterpret_cast<const float*>(points + first);
  float* to = reinterpret_cast<float*>(mine);
  for (int i = threadIdx.x; i < 3 * count; i += 128) __pipeline_memcpy_async(to + i, from + i, 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  if (threadIdx.x < count) {
    const auto [px, py, pz] = mine[threadIdx.x];
    x[first + threadIdx.x] = px, y[first + threadIdx.x] = py, z[first + threadIdx.x] = pz;
  }
}

void aos_to_soa(const Point* d_points, float* d_x, float* d_y, float* d_z, int n) {
  points_kernel<<<lab::ceil_div(n, 128), 128>>>(d_points, d_x, d_y, d_z, n);
  CUDA_CHECK(cudaGetLastError());
}
