// Idea: a 2D texture is the source of the transpose, x of the product is in constant memory if it fits, Kahan
// sums.

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/coalescing.hpp"

__global__ void transpose_kernel(cudaTextureObject_t in, float* out, int width, int height) {
  __shared__ float tile[32][33];
  for (int r = threadIdx.y; r < 32; r += 8)
    tile[r][threadIdx.x] = tex1Dfetch<float>(
        in, min(blockIdx.y * 32 + r, height - 1) * width + min(blockIdx.x * 32 + threadIdx.x, width - 1));
  __syncthreads();
  const int col = blockIdx.y * 32 + threadIdx.x;
  for (int r = threadIdx.y; r < 32; r += 8)
    if (const int row = blockIdx.x * 32 + r; row < width && col < height)
      out[row * height + col] = tile[threadIdx.x][r];
}

cudaTextureObject_t texture_of(const float* d_in, size_t elements) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = const_cast<float*>(d_in);
  resource.res.linear.desc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  resource.res.linear.sizeInBytes = elements * sizeof(float);
  cudaTextureDesc texture = {};
  cudaTextureObject_t made = 0;
  CUDA_CHECK(cudaCreateTextureObject(&made, &resource, &texture, nullptr));
  return made;
}

void transpose(const float* d_in, float* d_out, int width, int height) {
  const cudaTextureObject_t in = texture_of(d_in, size_t(width) * height);
  transpose_kernel<<<dim3(lab::ceil_div(width, 32), lab::ceil_div(height, 32)), dim3(32, 8)>>>(in, d_out,
                                                                                               width, height);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaDestroyTextureObject(in));
}

int block_transpose_is_safe(int block_size, int threads_in_step) {
  return (block_size * block_size - 1) / threads_in_step == 0;
}

// The whole tile goes through registers; rows are rotated instead of padded.
__global__ void block_transpose_kernel(float* A, int width) {
  __shared__ float tile[32 * 32];
  const int x = threadIdx.x, y = threadIdx.y,
            i = (blockIdx.y * blockDim.y + y) * width + blockIdx.x * blockDim.x + x;
  tile[y * 32 + (x + y) % 32] = A[i];
  __syncthreads();
  A[i] = tile[x * 32 + (x + y) % 32];
}

void block_transpose(float* d_A, int width, int height, int block_size) {
  block_transpose_kernel<<<dim3(width / block_size, height / block_size), dim3(block_size, block_size)>>>(
      d_A, width);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void corner_kernel(cudaTextureObject_t M, const float* N, float* P, int m, int k, int n) {
  __shared__ float a[32][32], b[32][33];
  const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 32 + ty, col = blockIdx.x * 32 + tx,
            N_col = blockIdx.x * 32 + ty;
  float sum = 0, lost = 0;
  for (int i = 0; i < k; i += 32) {
    a[ty][tx] = row < m && i + tx < k ? tex1Dfetch<float>(M, row * k + i + tx) : 0;
    b[ty][tx] = N_col < n && i + tx < k ? __ldg(&N[N_col * k + i + tx]) : 0;
    __syncthreads();
    float part = -lost;
    for (int j = 0; j < 32; ++j) part += a[ty][j] * b[tx][j];
    const float next = __fadd_rn(sum, part);
    lost = __fsub_rn(__fsub_rn(next, sum), part);
    sum = next;
    __syncthreads();
  }
  if (row < m && col < n) P[row * n + col] = sum;
}

void matmul_corner_turning(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  const cudaTextureObject_t M = texture_of(d_M, size_t(m) * k);
  corner_kernel<<<dim3(lab::ceil_div(n, 32), lab::ceil_div(m, 32)), dim3(32, 32)>>>(M, d_N, d_P, m, k, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaDestroyTextureObject(M));
}

// A block stages parts of x in shared memory for its eight rows.
__global__ void matvec_kernel(const float* A, const float* x, float* y, int rows, int columns) {
  __shared__ float part[256];
  const int row = blockIdx.x * 8 + threadIdx.y, lane = threadIdx.x;
  float sum = 0;
  for (int first = 0; first < columns; first += 256) {
    const int i = threadIdx.y * 32 + lane;
    part[i] = first + i < columns ? x[first + i] : 0;
    __syncthreads();
    if (row < rows)
      for (int j = lane; j < 256 && first + j < columns; j += 32)
        sum += A[size_t(row) * columns + first + j] * part[j];
    __syncthreads();
  }
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (lane == 0 && row < rows) y[row] = sum;
}

void matvec(const float* d_A, const float* d_x, float* d_y, int rows, int columns) {
  matvec_kernel<<<lab::ceil_div(rows, 8), dim3(32, 8)>>>(d_A, d_x, d_y, rows, columns);
  CUDA_CHECK(cudaGetLastError());
}

// Without shared memory: three coalesced loads, then each lane fetches its words from other lanes by
// shuffles.
__global__ void points_kernel(const float* from, float* x, float* y, float* z, int n) {
  const int lane = threadIdx.x % 32, first = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 32;
  float loaded[3];
#pragma unroll
  for (int p = 0; p < 3; ++p) {
    const int i = 3 * first + 32 * p + lane;
    loaded[p] = i < 3 * n ? from[i] : 0;
  }
#pragma unroll
  for (int c = 0; c < 3; ++c) {
    const int word = 3 * lane + c;
    const float a = __shfl_sync(~0u, loaded[0], word % 32);
    const float b = __shfl_sync(~0u, loaded[1], word % 32);
    const float d = __shfl_sync(~0u, loaded[2], word % 32);
    const float value = word < 32 ? a : word < 64 ? b : d;
    if (first + lane < n) (c == 0 ? x : c == 1 ? y : z)[first + lane] = value;
  }
}

void aos_to_soa(const Point* d_points, float* d_x, float* d_y, float* d_z, int n) {
  points_kernel<<<lab::ceil_div(n, 192), 192>>>(&d_points->x, d_x, d_y, d_z, n);
  CUDA_CHECK(cudaGetLastError());
}
