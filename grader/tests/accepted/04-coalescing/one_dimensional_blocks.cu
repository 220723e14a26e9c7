// Idea: all blocks are 1D and indices are computed; a fixed number of blocks strides over tiles; the puzzle
// by simulation.

#include <vector>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/coalescing.hpp"

constexpr int kSide = 32, kThreads = 256;

__global__ void transpose_kernel(const float* __restrict__ in, float* __restrict__ out, int width,
                                 int height) {
  __shared__ float tile[kSide * (kSide + 1)];
  const int across = lab::ceil_div(width, kSide), tiles = across * lab::ceil_div(height, kSide);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    const int x0 = t % across * kSide, y0 = t / across * kSide;
    for (int r = warp; r < kSide; r += kThreads / 32)
      if (y0 + r < height && x0 + lane < width)
        tile[r * (kSide + 1) + lane] = in[(y0 + r) * width + x0 + lane];
    __syncthreads();
    for (int r = warp; r < kSide; r += kThreads / 32)
      if (x0 + r < width && y0 + lane < height)
        out[(x0 + r) * height + y0 + lane] = tile[lane * (kSide + 1) + r];
    __syncthreads();
  }
}

void transpose(const float* d_in, float* d_out, int width, int height) {
  transpose_kernel<<<48, kThreads>>>(d_in, d_out, width, height);
  CUDA_CHECK(cudaGetLastError());
}

// Runs the kernel with the least favourable schedule: a group stores and loads before all later groups, or
// after.
int block_transpose_is_safe(int block_size, int threads_in_step) {
  const int threads = block_size * block_size;
  for (const bool reversed : {false, true}) {
    std::vector<bool> stored(threads);
    const int groups = lab::ceil_div(threads, threads_in_step);
    for (int g = 0; g < groups; ++g) {
      const int group = reversed ? groups - 1 - g : g;
      const int first = group * threads_in_step, last = std::min(first + threads_in_step, threads);
      for (int t = first; t < last; ++t) stored[t] = true;
      for (int t = first; t < last; ++t)
        if (!stored[t % block_size * block_size + t / block_size]) return 0;
    }
  }
  return 1;
}

__global__ void block_transpose_kernel(float* A, int width, int side) {
  extern __shared__ float tile[];
  const int x = threadIdx.x % side, y = threadIdx.x / side, pitch = side | 1;
  float* const place = A + (blockIdx.y * side + y) * width + blockIdx.x * side + x;
  tile[y * pitch + x] = *place;
  __syncthreads();
  *place = tile[x * pitch + y];
}

void block_transpose(float* d_A, int width, int height, int block_size) {
  const dim3 grid(width / block_size, height / block_size);
  const size_t bytes = block_size * (block_size | 1) * sizeof(float);
  block_transpose_kernel<<<grid, block_size * block_size, bytes>>>(d_A, width, block_size);
  CUDA_CHECK(cudaGetLastError());
}

// 256 threads, four rows of the 32 × 32 tile each.
__global__ void corner_kernel(const float* M, const float* N, float* P, int m, int k, int n) {
  __shared__ float a[kSide][kSide], b[kSide][kSide + 1];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const int tiles_across = lab::ceil_div(n, kSide);
  const int row0 = blockIdx.x / tiles_across * kSide, col0 = blockIdx.x % tiles_across * kSide;
  float sums[4] = {};
  for (int i = 0; i < k; i += kSide) {
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      const int y = warp + 8 * r;
      a[y][lane] = row0 + y < m && i + lane < k ? M[(row0 + y) * k + i + lane] : 0;
      b[y][lane] = col0 + y < n && i + lane < k ? N[(col0 + y) * k + i + lane] : 0;
    }
    __syncthreads();
    for (int j = 0; j < kSide; ++j)
#pragma unroll
      for (int r = 0; r < 4; ++r) sums[r] += a[warp + 8 * r][j] * b[lane][j];
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < 4; ++r)
    if (row0 + warp + 8 * r < m && col0 + lane < n) P[(row0 + warp + 8 * r) * n + col0 + lane] = sums[r];
}

void matmul_corner_turning(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  corner_kernel<<<lab::ceil_div(m, kSide) * lab::ceil_div(n, kSide), kThreads>>>(d_M, d_N, d_P, m, k, n);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void matvec_kernel(const float* A, const float* x, float* y, int rows, int columns) {
  const int lane = threadIdx.x & 31, warps = gridDim.x * blockDim.x >> 5;
  for (int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5; row < rows; row += warps) {
    float even = 0, odd = 0;
    for (int col = lane; col < columns; col += 64) {
      even += A[row * columns + col] * x[col];
      if (col + 32 < columns) odd += A[row * columns + col + 32] * x[col + 32];
    }
    even += odd;
    for (int mask = 16; mask > 0; mask >>= 1) even += __shfl_xor_sync(0xffffffffu, even, mask);
    if (lane == 0) y[row] = even;
  }
}

void matvec(const float* d_A, const float* d_x, float* d_y, int rows, int columns) {
  matvec_kernel<<<std::min(64, lab::ceil_div(rows, 4)), 128>>>(d_A, d_x, d_y, rows, columns);
  CUDA_CHECK(cudaGetLastError());
}

// A warp's 32 points are 96 floats, which only this warp needs: no block-wide barrier.
__global__ void points_kernel(const float* from, float* x, float* y, float* z, int n) {
  __shared__ float staged[kThreads / 32][96];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5,
            first = (blockIdx.x * kThreads / 32 + warp) * 32;
#pragma unroll
  for (int part = 0; part < 96; part += 32)
    if (3 * first + part + lane < 3 * n) staged[warp][part + lane] = from[3 * first + part + lane];
  __syncwarp();
  const int i = first + lane;
  if (i >= n) return;
  x[i] = staged[warp][3 * lane];
  y[i] = staged[warp][3 * lane + 1];
  z[i] = staged[warp][3 * lane + 2];
}

void aos_to_soa(const Point* d_points, float* d_x, float* d_y, float* d_z, int n) {
  points_kernel<<<lab::ceil_div(n, kThreads), kThreads>>>(&d_points->x, d_x, d_y, d_z, n);
  CUDA_CHECK(cudaGetLastError());
}
