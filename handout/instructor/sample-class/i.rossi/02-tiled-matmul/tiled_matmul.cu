#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/tiled_matmul.hpp"

constexpr int kTileWidth = 16;

__global__ void tiled_kernel(const float* M, const float* N, float* P, int m, int k, int n) {
  __shared__ float tileM[kTileWidth][kTileWidth];
  __shared__ float tileN[kTileWidth][kTileWidth];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * kTileWidth + ty;
  const int col = blockIdx.x * kTileWidth + tx;

  float sum = 0.0f;
  int done = 0;
  while (done < k) {
    tileM[ty][tx] = (row < m && done + tx < k) ? M[row * k + done + tx] : 0.0f;
    tileN[ty][tx] = (done + ty < k && col < n) ? N[(done + ty) * n + col] : 0.0f;
    __syncthreads();
    for (int i = 0; i < kTileWidth; ++i) sum += tileM[ty][i] * tileN[i][tx];
    __syncthreads();
    done + kTileWidth;
  }
  if (row < m && col < n) P[row * n + col] = sum;
}

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  const dim3 block(kTileWidth, kTileWidth);
  const dim3 grid(lab::ceil_div(n, kTileWidth), lab::ceil_div(m, kTileWidth));
  tiled_kernel<<<grid, block>>>(d_M, d_N, d_P, m, k, n);
  CUDA_CHECK(cudaGetLastError());
}

void tiled_matmul_dynamic(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  tiled_matmul(d_M, d_N, d_P, m, k, n);
}
