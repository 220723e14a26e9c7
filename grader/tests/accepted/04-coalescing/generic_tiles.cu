// Idea: accessors and functors: one generic "load a tile, wait, use it" for all problems, with layouts as
// types.

#include <utility>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/coalescing.hpp"

struct ByRows {
  __host__ __device__ static constexpr int index(int row, int col, int, int cols) { return row * cols + col; }
};
struct ByColumns {
  __host__ __device__ static constexpr int index(int row, int col, int rows, int) { return col * rows + row; }
};

template <class T, class Layout = ByRows>
struct Matrix {
  T* data;
  int rows, cols;
  __device__ bool has(int row, int col) const { return row < rows && col < cols; }
  __device__ T& operator()(int row, int col) const { return data[Layout::index(row, col, rows, cols)]; }
};

// Calls use(r, c) for every element of a 32 × 32 tile; a warp gets neighbours in a row.
template <class F>
__device__ __forceinline__ void each(F&& use) {
  const int threads = blockDim.x * blockDim.y;
#pragma unroll 4
  for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < 1024; i += threads)
    std::forward<F>(use)(i >> 5, i & 31);
}

__global__ void transpose_kernel(Matrix<const float> in, Matrix<float> out) {
  __shared__ float tile[32][33];
  const int row = blockIdx.y * 32, col = blockIdx.x * 32;
  each([&](int r, int c) {
    if (in.has(row + r, col + c)) tile[r][c] = in(row + r, col + c);
  });
  __syncthreads();
  each([&](int r, int c) {
    if (out.has(col + r, row + c)) out(col + r, row + c) = tile[c][r];
  });
}

void transpose(const float* d_in, float* d_out, int width, int height) {
  transpose_kernel<<<dim3(lab::ceil_div(width, 32), lab::ceil_div(height, 32)), dim3(16, 8)>>>(
      {d_in, height, width}, {d_out, width, height});
  CUDA_CHECK(cudaGetLastError());
}

constexpr int largest_safe(int threads_in_step) {
  int side = 1;
  while ((side + 1) * (side + 1) <= threads_in_step) ++side;
  return side;
}
static_assert(largest_safe(32) == 5);

int block_transpose_is_safe(int block_size, int threads_in_step) {
  return block_size <= largest_safe(threads_in_step);
}

template <int kSide>
__global__ void block_transpose_kernel(float* A, int width) {
  __shared__ float tile[kSide][kSide + 1];
  float* at = A + (blockIdx.y * kSide + threadIdx.y) * width + blockIdx.x * kSide + threadIdx.x;
  tile[threadIdx.y][threadIdx.x] = *at;
  __syncthreads();
  *at = tile[threadIdx.x][threadIdx.y];
}

template <int... kSides>
void launch(float* d_A, int width, int height, int side, std::integer_sequence<int, kSides...>) {
  const dim3 grid(width / side, height / side), block(side, side);
  ((kSides + 1 == side ? block_transpose_kernel<kSides + 1><<<grid, block>>>(d_A, width) : void()), ...);
}

void block_transpose(float* d_A, int width, int height, int block_size) {
  launch(d_A, width, height, block_size, std::make_integer_sequence<int, 32>{});
  CUDA_CHECK(cudaGetLastError());
}

__global__ void product_kernel(Matrix<const float> M, Matrix<const float, ByColumns> N, Matrix<float> P) {
  __shared__ float a[32][32], b[32][33];
  const int row = blockIdx.y * 32, col = blockIdx.x * 32;
  float sum = 0;
  for (int i = 0; i < M.cols; i += 32) {
    each([&](int r, int c) {
      a[r][c] = M.has(row + r, i + c) ? M(row + r, i + c) : 0;
      b[r][c] = N.has(i + c, col + r) ? N(i + c, col + r) : 0;
    });
    __syncthreads();
#pragma unroll 16
    for (int j = 0; j < 32; ++j) sum += a[threadIdx.y][j] * b[threadIdx.x][j];
    __syncthreads();
  }
  if (P.has(row + threadIdx.y, col + threadIdx.x)) P(row + threadIdx.y, col + threadIdx.x) = sum;
}

void matmul_corner_turning(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  product_kernel<<<dim3(lab::ceil_div(n, 32), lab::ceil_div(m, 32)), dim3(32, 32)>>>({d_M, m, k}, {d_N, k, n},
                                                                                     {d_P, m, n});
  CUDA_CHECK(cudaGetLastError());
}

// A whole block of two warps for each row: two partial sums meet in shared memory.
__global__ void matvec_kernel(Matrix<const float> A, const float* x, float* y) {
  __shared__ float halves[4][2];
  const int row = blockIdx.x * 4 + threadIdx.y, lane = threadIdx.x & 31, half = threadIdx.x >> 5;
  float sum = 0;
  if (row < A.rows)
    for (int col = threadIdx.x; col < A.cols; col += 64) sum += A(row, col) * x[col];
  for (int d = 16; d > 0; d >>= 1) sum += __shfl_down_sync(~0u, sum, d);
  if (lane == 0) halves[threadIdx.y][half] = sum;
  __syncthreads();
  if (threadIdx.x == 0 && row < A.rows) y[row] = halves[threadIdx.y][0] + halves[threadIdx.y][1];
}

void matvec(const float* d_A, const float* d_x, float* d_y, int rows, int columns) {
  matvec_kernel<<<lab::ceil_div(rows, 4), dim3(64, 4)>>>({d_A, rows, columns}, d_x, d_y);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void points_kernel(const Point* points, float* __restrict__ x, float* __restrict__ y,
                              float* __restrict__ z, int n) {
  __shared__ float words[3][160];
  const int first = blockIdx.x * 160;
  for (int w = threadIdx.x; w < 480 && 3 * first + w < 3 * n; w += 160)
    words[w % 3][w / 3] = reinterpret_cast<const float*>(points)[3 * first + w];
  __syncthreads();
  if (const int i = first + threadIdx.x; i < n)
    x[i] = words[0][threadIdx.x], y[i] = words[1][threadIdx.x], z[i] = words[2][threadIdx.x];
}

void aos_to_soa(const Point* d_points, float* d_x, float* d_y, float* d_z, int n) {
  points_kernel<<<lab::ceil_div(n, 160), 160>>>(d_points, d_x, d_y, d_z, n);
  CUDA_CHECK(cudaGetLastError());
}
