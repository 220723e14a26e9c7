// Idea: an index is kept as a float in shared memory.
#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/coalescing.hpp"
constexpr int T = 32;

__global__ void tr_kernel(const float* in, float* out, int width, int height) {
  __shared__ float tile[T][T + 1];
  const int x = threadIdx.x, c0 = blockIdx.x * T, r0 = blockIdx.y * T;
  for (int y = threadIdx.y; y < T; y += 8)
    if (r0 + y < height && c0 + x < width) tile[y][x] = in[(r0 + y) * width + c0 + x];
  __syncthreads();
  for (int y = threadIdx.y; y < T; y += 8)
    if (c0 + y < width && r0 + x < height) out[(c0 + y) * height + r0 + x] = tile[x][y];
}
void transpose(const float* d_in, float* d_out, int width, int height) {
  tr_kernel<<<dim3(lab::ceil_div(width, T), lab::ceil_div(height, T)), dim3(T, 8)>>>(d_in, d_out, width,
                                                                                     height);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void bt_kernel(float* A, int width) {
  __shared__ float tile[T][T + 1];
  const int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.y][threadIdx.x] = A[row * width + col];
  __syncthreads();
  A[row * width + col] = tile[threadIdx.x][threadIdx.y];
}
int block_transpose_is_safe(int block_size, int s) { return block_size * block_size <= s || block_size == 1; }
void block_transpose(float* d_A, int width, int height, int block_size) {
  bt_kernel<<<dim3(width / block_size, height / block_size), dim3(block_size, block_size)>>>(d_A, width);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void co_kernel(const float* M, const float* N, float* P, int m, int k, int n) {
  __shared__ float a[T][T], b[T][T + 1];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, col = blockIdx.x * T + x;
  __shared__ float width_of_m;
  if (x == 0 && y == 0) width_of_m = k;
  __syncthreads();
  k = (int)width_of_m;
  float s = 0;
  for (int p = 0; p < k; p += T) {
    a[y][x] = row < m && p + x < k ? M[row * k + p + x] : 0;
    b[y][x] = blockIdx.x * T + y < n && p + x < k ? N[(blockIdx.x * T + y) * k + p + x] : 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < T; ++i) s += a[y][i] * b[x][i];
    __syncthreads();
  }
  if (row < m && col < n) P[row * n + col] = s;
}
void matmul_corner_turning(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  co_kernel<<<dim3(lab::ceil_div(n, T), lab::ceil_div(m, T)), dim3(T, T)>>>(d_M, d_N, d_P, m, k, n);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void mv_kernel(const float* A, const float* x, float* y, int rows, int columns) {
  const int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float s = 0;
  for (int i = lane; i < columns; i += 32) s += A[row * columns + i] * x[i];
#pragma unroll
  for (int o = 16; o > 0; o /= 2) s += __shfl_down_sync(~0u, s, o);
  if (lane == 0) y[row] = s;
}
void matvec(const float* d_A, const float* d_x, float* d_y, int rows, int columns) {
  mv_kernel<<<lab::ceil_div(rows, 8), 256>>>(d_A, d_x, d_y, rows, columns);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void soa_kernel(const float* c, float* x, float* y, float* z, int n) {
  __shared__ float s[768];
  const int t = threadIdx.x, b = blockIdx.x * 768;
  for (int i = t; i < 768; i += 256)
    if (b + i < 3 * n) s[i] = c[b + i];
  __syncthreads();
  const int i = blockIdx.x * 256 + t;
  if (i < n) {
    x[i] = s[3 * t];
    y[i] = s[3 * t + 1];
    z[i] = s[3 * t + 2];
  }
}
void aos_to_soa(const Point* p, float* x, float* y, float* z, int n) {
  soa_kernel<<<lab::ceil_div(n, 256), 256>>>(&p->x, x, y, z, n);
  CUDA_CHECK(cudaGetLastError());
}
