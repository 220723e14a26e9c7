// The baselines of 04-coalescing: correct, but each has an access pattern that wastes memory bandwidth.
// The comments on the kernels describe the pattern.
#include "lab/coalescing.hpp"

namespace {

constexpr int kBlockWidth = 16;
constexpr int kThreads = 256;
constexpr int kRowsPerBlock = 32;  // the fastest in the lecture's measurements
constexpr int kMaxTile = 32;

__host__ __device__ int pieces(int length, int piece) { return (length + piece - 1) / piece; }

dim3 grid_for(int columns, int rows) { return dim3(pieces(columns, kBlockWidth), pieces(rows, kBlockWidth)); }

/// The stores of neighbouring threads are `height` floats apart.
__global__ void transpose_directly(const float* in, float* out, int width, int height) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y);
  if (column < width) out[column * height + row] = in[row * width + column];
}

/// A warp reads a column of the tile: with 32 words per row, the whole column is in one bank.
__global__ void transpose_blocks(float* A, int width) {
  __shared__ float tile[kMaxTile][kMaxTile];
  const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  float* element = A + row * width + column;
  tile[threadIdx.y][threadIdx.x] = *element;
  __syncthreads();
  *element = tile[threadIdx.x][threadIdx.y];
}

/// In every iteration, the loads of neighbouring threads from N are k floats apart.
__global__ void matmul_columns(const float* M, const float* N, float* P, int m, int k, int n) {
  const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= m || column >= n) return;
  float sum = 0.0F;
  for (int i = 0; i < k; ++i) sum += M[row * k + i] * N[column * k + i];
  P[row * n + column] = sum;
}

/// The lecture's kernel: one thread per row, so the loads of neighbouring threads are `columns` floats apart,
/// and the sum is stored in every iteration.
__global__ void matvec_thread_a_row(const float* A, const float* x, float* y, int rows, int columns) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= rows) return;
  y[row] = 0.0F;
  for (int i = 0; i < columns; ++i) y[row] += A[row * columns + i] * x[i];
}

/// The loads of neighbouring threads are 12 bytes apart, three times.
__global__ void take_apart(const Point* points, float* x, float* y, float* z, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  x[i] = points[i].x;
  y[i] = points[i].y;
  z[i] = points[i].z;
}

}  // namespace

void transpose(const float* d_in, float* d_out, int width, int height) {
  transpose_directly<<<dim3(pieces(width, kThreads), height), kThreads>>>(d_in, d_out, width, height);
}

int block_transpose_is_safe(int block_size, int threads_in_step) {
  return block_size * block_size <= threads_in_step ? 1 : 0;
}

void block_transpose(float* d_A, int width, int height, int block_size) {
  const dim3 grid(width / block_size, height / block_size);
  transpose_blocks<<<grid, dim3(block_size, block_size)>>>(d_A, width);
}

void matmul_corner_turning(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  matmul_columns<<<grid_for(n, m), dim3(kBlockWidth, kBlockWidth)>>>(d_M, d_N, d_P, m, k, n);
}

void matvec(const float* d_A, const float* d_x, float* d_y, int rows, int columns) {
  matvec_thread_a_row<<<pieces(rows, kRowsPerBlock), kRowsPerBlock>>>(d_A, d_x, d_y, rows, columns);
}

void aos_to_soa(const Point* d_points, float* d_x, float* d_y, float* d_z, int n) {
  take_apart<<<pieces(n, kThreads), kThreads>>>(d_points, d_x, d_y, d_z, n);
}
