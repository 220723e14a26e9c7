// Idea: float4 wherever addresses allow it: matrix-vector product, points, corner turning; half warps,
// templates.

#include <cstdint>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/coalescing.hpp"

template <class T>
bool aligned(const T* address, int elements) {
  return reinterpret_cast<std::uintptr_t>(address) % 16 == 0 && elements % 4 == 0;
}

// Diagonal order of blocks: neighbours in launch order use different columns of `out`.
template <int kRows>
__global__ void __launch_bounds__(32 * kRows)
    transpose_kernel(const float* in, float* out, int width, int height) {
  __shared__ float tile[32][33];
  const int by = blockIdx.x, bx = (blockIdx.x + blockIdx.y) % gridDim.y;
  int x = bx * 32 + threadIdx.x, y = by * 32 + threadIdx.y;
#pragma unroll
  for (int r = 0; r < 32; r += kRows)
    if (x < width && y + r < height) tile[threadIdx.x][threadIdx.y + r] = in[(y + r) * width + x];
  __syncthreads();
  x = by * 32 + threadIdx.x, y = bx * 32 + threadIdx.y;
#pragma unroll
  for (int r = 0; r < 32; r += kRows)
    if (x < height && y + r < width) out[(y + r) * height + x] = tile[threadIdx.y + r][threadIdx.x];
}

void transpose(const float* d_in, float* d_out, int width, int height) {
  transpose_kernel<4><<<dim3(lab::ceil_div(height, 32), lab::ceil_div(width, 32)), dim3(32, 4)>>>(
      d_in, d_out, width, height);
  CUDA_CHECK(cudaGetLastError());
}

int block_transpose_is_safe(int block_size, int threads_in_step) {
  switch (threads_in_step) {
    case 1:
      return block_size == 1;
    case 16:
      return block_size <= 4;
    case 32:
      return block_size <= 5;
    default:
      return block_size <= 8;
  }
}

// Each thread keeps its value until all have read theirs: the tile is written transposed.
__global__ void block_transpose_kernel(float* A, int width) {
  __shared__ float tile[32][33];
  const int i = (blockIdx.y * blockDim.y + threadIdx.y) * width + blockIdx.x * blockDim.x + threadIdx.x;
  const float mine = A[i];
  tile[threadIdx.x][threadIdx.y] = mine;
  __syncthreads();
  A[i] = tile[threadIdx.y][threadIdx.x];
}

void block_transpose(float* d_A, int width, int height, int block_size) {
  block_transpose_kernel<<<dim3(width / block_size, height / block_size), dim3(block_size, block_size)>>>(
      d_A, width);
  CUDA_CHECK(cudaGetLastError());
}

// The tile of N is stored transposed when it is loaded; rows of both tiles are then read as usual.
__global__ void corner_kernel(const float* __restrict__ M, const float* __restrict__ N, float* P, int m,
                              int k, int n) {
  __shared__ float a[32][32], b[32][33];
  const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 32 + ty, col = blockIdx.x * 32 + tx;
  const int N_col = blockIdx.x * 32 + ty;
  double sum = 0;
  for (int phase = lab::ceil_div(k, 32); phase-- > 0;) {
    const int i = phase * 32 + tx;
    a[ty][tx] = i < k && row < m ? M[row * k + i] : 0;
    b[tx][ty] = i < k && N_col < n ? N[N_col * k + i] : 0;
    __syncthreads();
    float part = 0;
    for (int j = 0; j < 32; ++j) part += a[ty][j] * b[j][tx];
    sum += part;
    __syncthreads();
  }
  if (row < m && col < n) P[row * n + col] = static_cast<float>(sum);
}

void matmul_corner_turning(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  corner_kernel<<<dim3(lab::ceil_div(n, 32), lab::ceil_div(m, 32)), dim3(32, 32)>>>(d_M, d_N, d_P, m, k, n);
  CUDA_CHECK(cudaGetLastError());
}

template <class T>
__device__ float dot(const T& a, const T& b);
template <>
__device__ float dot(const float& a, const float& b) {
  return a * b;
}
template <>
__device__ float dot(const float4& a, const float4& b) {
  return a.x * b.x + a.y * b.y + (a.z * b.z + a.w * b.w);
}

template <class T>
__global__ void matvec_kernel(const T* A, const T* x, float* y, int rows, int columns) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;  // a row of threads is a warp
  if (row >= rows) return;
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += 32) sum += dot(A[static_cast<size_t>(row) * columns + i], x[i]);
#pragma unroll
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
  if (threadIdx.x == 0) y[row] = sum;
}

void matvec(const float* d_A, const float* d_x, float* d_y, int rows, int columns) {
  const dim3 block(32, 8), grid(lab::ceil_div(rows, 8));
  if (aligned(d_A, columns) && aligned(d_x, columns))
    matvec_kernel<<<grid, block>>>(reinterpret_cast<const float4*>(d_A), reinterpret_cast<const float4*>(d_x),
                                   d_y, rows, columns / 4);
  else
    matvec_kernel<<<grid, block>>>(d_A, d_x, d_y, rows, columns);
  CUDA_CHECK(cudaGetLastError());
}

// 64 points are 48 float4: three quarters of the threads load one each.
__global__ void points_kernel(const float* from, float* x, float* y, float* z, int n) {
  __shared__ union {
    float4 quads[48];
    Point points[64];
  } staged;
  const int first = blockIdx.x * 64, t = threadIdx.x;
  if (first + 64 <= n) {
    if (t < 48) staged.quads[t] = __ldg(reinterpret_cast<const float4*>(from + 3 * first) + t);
  } else {
    for (int i = t; i < 3 * (n - first); i += 64)
      reinterpret_cast<float*>(staged.quads)[i] = from[3 * first + i];
  }
  __syncthreads();
  if (first + t >= n) return;
  x[first + t] = staged.points[t].x;
  y[first + t] = staged.points[t].y;
  z[first + t] = staged.points[t].z;
}

void aos_to_soa(const Point* d_points, float* d_x, float* d_y, float* d_z, int n) {
  points_kernel<<<lab::ceil_div(n, 64), 64>>>(&d_points->x, d_x, d_y, d_z, n);
  CUDA_CHECK(cudaGetLastError());
}
