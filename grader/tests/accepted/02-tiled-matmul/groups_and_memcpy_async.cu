// Idea: cooperative groups; memcpy_async of groups of 8 threads copies the rows of the dynamic tiles.

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
  const int x = block.thread_index().x, y = block.thread_index().y;
  const int row = block.group_index().y * T + y, col = block.group_index().x * T + x;
  float sum = 0.0f;
  for (int phase = lab::ceil_div(k, T) - 1; phase >= 0; --phase) {  // from the last to the first
    const int i = phase * T;
    tile_M[y][x] = row < m && i + x < k ? M[row * k + i + x] : 0.0f;
    tile_N[y][x] = i + y < k && col < n ? N[(i + y) * n + col] : 0.0f;
    cg::sync(block);
    for (int j = 0; j < T; ++j) sum += tile_M[y][j] * tile_N[j][x];
    cg::sync(block);
  }
  if (row < m && col < n) P[row * n + col] = sum;
}

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  const dim3 grid(lab::ceil_div(n, T), lab::ceil_div(m, T));
  tiled_kernel<<<grid, dim3(T, T)>>>(d_M, d_N, d_P, m, k, n);
  CUDA_CHECK(cudaGetLastError());
}

// Groups of at most `w` threads take the rows of the tiles in turn.
__global__ void dynamic_kernel(const float* M, const float* N, float* P, int m, int k, int n) {
  extern __shared__ float tiles[];
  const auto block = cg::this_thread_block();
  const auto eight = cg::tiled_partition<8>(block);
  const int w = blockDim.x, groups = (w * w + 7) / 8;
  float* const tile_M = tiles;
  float* const tile_N = &tiles[w * w];
  const int row0 = blockIdx.y * w, col0 = blockIdx.x * w, x = threadIdx.x, y = threadIdx.y;
  float sum = 0.0f;
  for (int first = 0; first < k; first += w) {
    for (int line = eight.meta_group_rank(); line < w; line += groups) {
      load_row(eight, tile_M + line * w, M + (row0 + line) * k + first, row0 + line < m ? k - first : 0, w);
      load_row(eight, tile_N + line * w, N + (first + line) * n + col0, first + line < k ? n - col0 : 0, w);
    }
    cg::wait(eight);
    block.sync();
    for (int j = 0; j < w; ++j) sum += tile_M[y * w + j] * tile_N[j * w + x];
    block.sync();
  }
  if (row0 + y < m && col0 + x < n) P[(row0 + y) * n + col0 + x] = sum;
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
