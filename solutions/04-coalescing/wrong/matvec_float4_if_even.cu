// Mistake: float4 if columns is even, but rows are aligned for it only if columns is a multiple of 4.

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/coalescing.hpp"

constexpr int kTile = 32;
constexpr int kWarp = 32;

__global__ void transpose_kernel(const float* in, float* out, int width, int height) {
  __shared__ float tile[kTile][kTile + 1];
  const int x0 = blockIdx.x * kTile, y0 = blockIdx.y * kTile;
  for (int dy = threadIdx.y; dy < kTile; dy += 8)
    if (x0 + threadIdx.x < width && y0 + dy < height)
      tile[dy][threadIdx.x] = in[(y0 + dy) * width + x0 + threadIdx.x];
  __syncthreads();
  for (int dx = threadIdx.y; dx < kTile; dx += 8)
    if (y0 + threadIdx.x < height && x0 + dx < width)
      out[(x0 + dx) * height + y0 + threadIdx.x] = tile[threadIdx.x][dx];
}

void transpose(const float* d_in, float* d_out, int width, int height) {
  const dim3 grid(lab::ceil_div(width, kTile), lab::ceil_div(height, kTile));
  transpose_kernel<<<grid, dim3(kTile, 8)>>>(d_in, d_out, width, height);
  CUDA_CHECK(cudaGetLastError());
}

int block_transpose_is_safe(int block_size, int threads_in_step) {
  return block_size * block_size <= threads_in_step || block_size == 1;
}

__global__ void block_transpose_kernel(float* A, int width) {
  __shared__ float tile[kTile][kTile + 1];
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.y][threadIdx.x] = A[row * width + col];
  __syncthreads();
  A[row * width + col] = tile[threadIdx.x][threadIdx.y];
}

void block_transpose(float* d_A, int width, int height, int block_size) {
  const dim3 block(block_size, block_size);
  const dim3 grid(width / block_size, height / block_size);
  block_transpose_kernel<<<grid, block>>>(d_A, width);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void corner_turning_kernel(const float* M, const float* N, float* P, int m, int k, int n) {
  __shared__ float tile_M[kTile][kTile];
  __shared__ float tile_N[kTile][kTile + 1];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * kTile + ty, col = blockIdx.x * kTile + tx;
  const int col_load = blockIdx.x * kTile + ty;
  float sum = 0;
  for (int p = 0; p < k; p += kTile) {
    tile_M[ty][tx] = row < m && p + tx < k ? M[row * k + p + tx] : 0.0f;
    tile_N[ty][tx] = col_load < n && p + tx < k ? N[col_load * k + p + tx] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTile; ++i) sum += tile_M[ty][i] * tile_N[tx][i];
    __syncthreads();
  }
  if (row < m && col < n) P[row * n + col] = sum;
}

void matmul_corner_turning(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  const dim3 grid(lab::ceil_div(n, kTile), lab::ceil_div(m, kTile));
  corner_turning_kernel<<<grid, dim3(kTile, kTile)>>>(d_M, d_N, d_P, m, k, n);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void matvec_kernel(const float* A, const float* x, float* y, int rows, int columns) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / kWarp, lane = threadIdx.x % kWarp;
  if (row >= rows) return;
  float sum = 0;
  if (columns % 2 == 0 && columns >= 8) {  // wrong: rows are aligned for float4 only if columns % 4 == 0
    const float4* a4 = reinterpret_cast<const float4*>(A + row * columns);
    const float4* x4 = reinterpret_cast<const float4*>(x);
    for (int c = lane; c < columns / 4; c += kWarp) {
      const float4 a = a4[c], b = x4[c];
      sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    }
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0) y[row] = sum;
    return;
  }
  for (int c = lane; c < columns; c += kWarp) sum += A[row * columns + c] * x[c];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (lane == 0) y[row] = sum;
}

void matvec(const float* d_A, const float* d_x, float* d_y, int rows, int columns) {
  matvec_kernel<<<lab::ceil_div(rows, 8), 256>>>(d_A, d_x, d_y, rows, columns);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void aos_to_soa_kernel(const float* coordinates, float* x, float* y, float* z, int n) {
  __shared__ float buffer[3 * 256];
  const int first = blockIdx.x * 256;
  const int count = min(256, n - first);
  for (int i = threadIdx.x; i < 3 * count; i += 256) buffer[i] = coordinates[3 * first + i];
  __syncthreads();
  const int i = first + threadIdx.x;
  if (i >= n) return;
  x[i] = buffer[3 * threadIdx.x];
  y[i] = buffer[3 * threadIdx.x + 1];
  z[i] = buffer[3 * threadIdx.x + 2];
}

void aos_to_soa(const Point* d_points, float* d_x, float* d_y, float* d_z, int n) {
  aos_to_soa_kernel<<<lab::ceil_div(n, 256), 256>>>(&d_points->x, d_x, d_y, d_z, n);
  CUDA_CHECK(cudaGetLastError());
}
