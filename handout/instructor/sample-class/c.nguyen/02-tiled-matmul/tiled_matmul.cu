// One kernel template serves both parts: Width > 0 is a fixed tile, 0 means "take it from the launch".
#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/tiled_matmul.hpp"

struct Matrix {
  const float* data;
  int rows, cols;

  __device__ float at(int row, int col) const {
    return (row < rows && col < cols) ? data[row * cols + col] : 0.0f;
  }
};

template <int Width>
__device__ void multiply_tiles(Matrix M, Matrix N, float* P, float* Ms, float* Ns) {
  const int width = Width > 0 ? Width : blockDim.x;
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * width + ty, col = blockIdx.x * width + tx;

  float sum = 0.0f;
  for (int start = 0; start < M.cols; start += width) {
    if (start > 0) __syncthreads();  // the previous tiles are used up
    Ms[ty * width + tx] = M.at(row, start + tx);
    Ns[ty * width + tx] = N.at(start + ty, col);
    __syncthreads();
    for (int i = 0; i < width; ++i) sum += Ms[ty * width + i] * Ns[i * width + tx];
  }
  if (row < M.rows && col < N.cols) P[row * N.cols + col] = sum;
}

__global__ void fixed_tiles(Matrix M, Matrix N, float* P) {
  __shared__ float Ms[16 * 16], Ns[16 * 16];
  multiply_tiles<16>(M, N, P, Ms, Ns);
}

__global__ void dynamic_tiles(Matrix M, Matrix N, float* P) {
  extern __shared__ float tiles[];
  multiply_tiles<0>(M, N, P, tiles, tiles + blockDim.x * blockDim.y);
}

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  fixed_tiles<<<dim3(lab::ceil_div(n, 16), lab::ceil_div(m, 16)), dim3(16, 16)>>>({d_M, m, k}, {d_N, k, n}, d_P);
  CUDA_CHECK(cudaGetLastError());
}

void tiled_matmul_dynamic(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  int device = 0, threads = 0, shared = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerBlock, device));
  CUDA_CHECK(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlock, device));

  int width = 32;
  for (; width > 1; width /= 2) {
    if (width * width <= threads && 8 * width * width <= shared) break;  // two tiles, 4 bytes an element
  }
  const dim3 grid(lab::ceil_div(n, width), lab::ceil_div(m, width));
  dynamic_tiles<<<grid, dim3(width, width), 8 * width * width>>>({d_M, m, k}, {d_N, k, n}, d_P);
  CUDA_CHECK(cudaGetLastError());
}
