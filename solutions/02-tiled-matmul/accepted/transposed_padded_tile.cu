// Accepted: tiles of 32, and the tile of M is transposed in shared memory. The inner loop then goes down
// both tiles. One column of padding keeps the 32 stores of a warp, which go down a column, in 32 different
// banks.

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/tiled_matmul.hpp"

constexpr int kWidth = 32;

__global__ void tiled_kernel(const float* M, const float* N, float* P, int m, int k, int n) {
  __shared__ float M_t[kWidth][kWidth + 1];
  __shared__ float N_s[kWidth][kWidth];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * kWidth + ty;
  const int col = blockIdx.x * kWidth + tx;

  float sum = 0.0f;
  for (int first = 0; first < k; first += kWidth) {
    if (row < m && first + tx < k)
      M_t[tx][ty] = M[row * k + first + tx];
    else
      M_t[tx][ty] = 0.0f;
    if (first + ty < k && col < n)
      N_s[ty][tx] = N[(first + ty) * n + col];
    else
      N_s[ty][tx] = 0.0f;
    __syncthreads();
    for (int i = 0; i < kWidth; ++i) sum += M_t[i][ty] * N_s[i][tx];
    __syncthreads();
  }
  if (row < m && col < n) P[row * n + col] = sum;
}

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  const dim3 grid(lab::ceil_div(n, kWidth), lab::ceil_div(m, kWidth));
  tiled_kernel<<<grid, dim3(kWidth, kWidth)>>>(d_M, d_N, d_P, m, k, n);
  CUDA_CHECK(cudaGetLastError());
}

// pitch ≥ width is the length of a row of the transposed tile, padding included.
__global__ void tiled_kernel_dynamic(const float* M, const float* N, float* P, int m, int k, int n, int width,
                                     int pitch) {
  extern __shared__ float shared[];
  float* M_t = shared;                  // [width][pitch]
  float* N_s = shared + width * pitch;  // [width][width]
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * width + ty;
  const int col = blockIdx.x * width + tx;

  float sum = 0.0f;
  for (int first = 0; first < k; first += width) {
    M_t[tx * pitch + ty] = row < m && first + tx < k ? M[row * k + first + tx] : 0.0f;
    N_s[ty * width + tx] = first + ty < k && col < n ? N[(first + ty) * n + col] : 0.0f;
    __syncthreads();
    for (int i = 0; i < width; ++i) sum += M_t[i * pitch + ty] * N_s[i * width + tx];
    __syncthreads();
  }
  if (row < m && col < n) P[row * n + col] = sum;
}

void tiled_matmul_dynamic(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  int device, max_threads, max_bytes;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&max_threads, cudaDevAttrMaxThreadsPerBlock, device));
  CUDA_CHECK(cudaDeviceGetAttribute(&max_bytes, cudaDevAttrMaxSharedMemoryPerBlock, device));

  auto bytes = [](int width, int pitch) { return int(sizeof(float)) * width * (pitch + width); };
  int width = 32;
  while (width * width > max_threads || bytes(width, width) > max_bytes) width >>= 1;
  // A wide tile saves more than padding does, so pad only where there is room left.
  const int pitch = bytes(width, width + 1) <= max_bytes ? width + 1 : width;

  const dim3 grid(lab::ceil_div(n, width), lab::ceil_div(m, width));
  tiled_kernel_dynamic<<<grid, dim3(width, width), bytes(width, pitch)>>>(d_M, d_N, d_P, m, k, n, width,
                                                                          pitch);
  CUDA_CHECK(cudaGetLastError());
}
