// Another right answer: the eight warps of a block share x in shared memory, which halves the traffic of the
// matrix-vector product; tiles are in dynamic shared memory; a thread computes four elements of P.

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/coalescing.hpp"

namespace {

constexpr int kSide = 32;
constexpr int kPitch = kSide + 1;  // words from one row of a tile to the next
constexpr int kTileBytes = kSide * kPitch * sizeof(float);

extern __shared__ float words[];

// One warp per block and tile: each thread moves a whole column.
__global__ void turn(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * kSide, y = blockIdx.y * kSide, lane = threadIdx.x;
  const int rows = min(kSide, height - y), columns = min(kSide, width - x);
  const float* from = in + y * width + x + lane;
  for (int r = 0; r < rows; ++r, from += width)
    if (lane < columns) words[r * kPitch + lane] = *from;
  __syncthreads();
  float* to = out + x * height + y + lane;
  for (int c = 0; c < columns; ++c, to += height)
    if (lane < rows) *to = words[lane * kPitch + c];
}

__global__ void turn_in_place(float* A, int width, int block_size) {
  float* element =
      A + (blockIdx.y * block_size + threadIdx.y) * width + blockIdx.x * block_size + threadIdx.x;
  words[threadIdx.y * kPitch + threadIdx.x] = *element;
  __syncthreads();
  *element = words[threadIdx.x * kPitch + threadIdx.y];
}

// 32 × 8 threads; thread (x, y) computes rows y, y + 8, y + 16, y + 24 of column x.
__global__ void corner(const float* M, const float* N, float* P, int m, int k, int n) {
  float* tile_M = words;
  float* tile_N = words + kSide * kPitch;
  const int x = threadIdx.x, y = threadIdx.y, top = blockIdx.y * kSide, left = blockIdx.x * kSide;
  float sums[4] = {};
  for (int first = 0; first < k; first += kSide) {
    const int i = first + x;
    for (int r = y; r < kSide; r += 8) {
      tile_M[r * kPitch + x] = top + r < m && i < k ? M[(top + r) * k + i] : 0.0f;
      tile_N[r * kPitch + x] = left + r < n && i < k ? N[(left + r) * k + i] : 0.0f;
    }
    __syncthreads();
    for (int j = 0; j < kSide; ++j) {
      const float b = tile_N[x * kPitch + j];
      for (int q = 0; q < 4; ++q) sums[q] += tile_M[(y + 8 * q) * kPitch + j] * b;
    }
    __syncthreads();
  }
  for (int q = 0; q < 4; ++q)
    if (top + y + 8 * q < m && left + x < n) P[(top + y + 8 * q) * n + left + x] = sums[q];
}

constexpr int kPiece = 256;  // elements of x, as many as the block has threads

__global__ void rows_times_x(const float* A, const float* x, float* y, int rows, int columns) {
  __shared__ float piece[kPiece];
  const int lane = threadIdx.x % 32, row = blockIdx.x * 8 + threadIdx.x / 32;
  float sum = 0.0f;
  for (int first = 0; first < columns; first += kPiece) {
    const int count = min(kPiece, columns - first);
    if (threadIdx.x < count) piece[threadIdx.x] = x[first + threadIdx.x];
    __syncthreads();
    if (row < rows)
      for (int i = lane; i < count; i += 32) sum += A[row * columns + first + i] * piece[i];
    __syncthreads();
  }
  for (int half = 16; half > 0; half >>= 1) sum += __shfl_down_sync(0xffffffff, sum, half);
  if (lane == 0 && row < rows) y[row] = sum;
}

__global__ void split(const float* coordinates, float* x, float* y, float* z, int n) {
  const int first = blockIdx.x * blockDim.x, t = threadIdx.x, size = blockDim.x;
  const int floats = 3 * min(size, n - first);
  for (int j = t; j < floats; j += size) words[j] = coordinates[3 * first + j];
  __syncthreads();
  float* const to[3] = {x, y, z};
  for (int c = 0; c < 3; ++c)
    if (3 * t < floats) to[c][first + t] = words[3 * t + c];
}

}  // namespace

void transpose(const float* d_in, float* d_out, int width, int height) {
  const dim3 grid(lab::ceil_div(width, kSide), lab::ceil_div(height, kSide));
  turn<<<grid, kSide, kTileBytes>>>(d_in, d_out, width, height);
  CUDA_CHECK(cudaGetLastError());
}

int block_transpose_is_safe(int block_size, int threads_in_step) {
  for (int reader = 0; reader < block_size * block_size; ++reader) {
    const int writer = reader % block_size * block_size + reader / block_size;
    if (reader / threads_in_step != writer / threads_in_step) return 0;
  }
  return 1;
}

void block_transpose(float* d_A, int width, int height, int block_size) {
  const dim3 grid(width / block_size, height / block_size);
  turn_in_place<<<grid, dim3(block_size, block_size), kTileBytes>>>(d_A, width, block_size);
  CUDA_CHECK(cudaGetLastError());
}

void matmul_corner_turning(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  const dim3 grid(lab::ceil_div(n, kSide), lab::ceil_div(m, kSide));
  corner<<<grid, dim3(kSide, 8), 2 * kTileBytes>>>(d_M, d_N, d_P, m, k, n);
  CUDA_CHECK(cudaGetLastError());
}

void matvec(const float* d_A, const float* d_x, float* d_y, int rows, int columns) {
  rows_times_x<<<lab::ceil_div(rows, 8), kPiece>>>(d_A, d_x, d_y, rows, columns);
  CUDA_CHECK(cudaGetLastError());
}

void aos_to_soa(const Point* d_points, float* d_x, float* d_y, float* d_z, int n) {
  constexpr int kThreads = 128;
  split<<<lab::ceil_div(n, kThreads), kThreads, 3 * kThreads * sizeof(float)>>>(&d_points->x, d_x, d_y, d_z,
                                                                                n);
  CUDA_CHECK(cudaGetLastError());
}
