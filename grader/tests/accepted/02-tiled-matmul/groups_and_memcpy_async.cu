// Idea: cooperative groups; memcpy_async copies whole rows of tiles, tiles of inner width 32, group barriers.

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/tiled_matmul.hpp"

namespace cg = cooperative_groups;

constexpr int T = 16;

// Row r of a tile: the first `count` elements come from memory, the rest is 0.
template <class Group>
__device__ void load_row(const Group& group, float* row, const float* from, int count, int width) {
  count = max(0, min(count, width));
  if (count > 0) cg::memcpy_async(group, row, from, sizeof(float) * count);
  for (int i = count + group.thread_rank(); i < width; i += group.size()) row[i] = 0.0f;
}

__global__ void tiled_kernel(const float* M, const float* N, float* P, int m, int k, int n) {
  __shared__ float tile_M[T][T];
  __shared__ float tile_N[T][T];
  const cg::thread_block block = cg::this_thread_block();
  const auto sixteen = cg::tiled_partition<T>(block);
  const int line = sixteen.meta_group_rank();  // a group of 16 threads for each row of the tiles
  const int row = block.group_index().y * T + block.thread_index().y;
  const int col = block.group_index().x * T + block.thread_index().x;
  const int M_row = block.group_index().y * T + line, N_col = block.group_index().x * T;

  float sum = 0.0f;
  for (int first = 0; first < k; first += T) {
    load_row(sixteen, tile_M[line], M + M_row * k + first, M_row < m ? k - first : 0, T);
    load_row(sixteen, tile_N[line], N + (first + line) * n + N_col, first + line < k ? n - N_col : 0, T);
    cg::wait(sixteen);
    block.sync();
    for (int i = 0; i < T; ++i) sum += tile_M[threadIdx.y][i] * tile_N[i][threadIdx.x];
    block.sync();
  }
  if (row < m && col < n) P[row * n + col] = sum;
}

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  const dim3 grid(lab::ceil_div(n, T), lab::ceil_div(m, T));
  tiled_kernel<<<grid, dim3(T, T)>>>(d_M, d_N, d_P, m, k, n);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void dynamic_kernel(const float* M, const float* N, float* P, int m, int k, int n) {
  extern __shared__ float tiles[];
  const auto block = cg::this_thread_block();
  const int w = block.dim_threads().x;
  const unsigned x = block.thread_index().x, y = block.thread_index().y;
  float* const tile_M = tiles;
  float* const tile_N = &tiles[w * w];
  const int row = blockIdx.y * w + y, col = blockIdx.x * w + x;
  float sum = 0.0f;
  for (int phase = lab::ceil_div(k, w) - 1; phase >= 0; --phase) {  // the other direction
    const int i = phase * w;
    tile_M[y * w + x] = row < m && i + int(x) < k ? M[row * k + i + x] : 0.0f;
    tile_N[y * w + x] = i + int(y) < k && col < n ? N[(i + y) * n + col] : 0.0f;
    cg::sync(block);
    for (int j = 0; j < w; ++j) sum += tile_M[y * w + j] * tile_N[j * w + x];
    cg::sync(block);
  }
  if (row < m && col < n) P[row * n + col] = sum;
}

void tiled_matmul_dynamic(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  int device = 0, threads = 0, shared = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerBlock, device));
  CUDA_CHECK(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlock, device));
  int w = 1;
  while (w < 32 && 4 * w * w <= threads && 2 * 4 * w * w * static_cast<int>(sizeof(float)) <= shared) w *= 2;
  dynamic_kernel<<<dim3(lab::ceil_div(n, w), lab::ceil_div(m, w)), dim3(w, w), 2 * w * w * sizeof(float)>>>(
      d_M, d_N, d_P, m, k, n);
  CUDA_CHECK(cudaGetLastError());
}
