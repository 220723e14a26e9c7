#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/tiled_matmul.hpp"

const int tile = 16;

__global__ void matmul(const float* M, const float* N, float* P, int m, int k, int n) {
  __shared__ float sM[tile][tile];
  __shared__ float sN[tile][tile];
  int row = blockIdx.y * tile + threadIdx.y;
  int col = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  for (int p = 0; p < ceil_div(k, tile); ++p) {
    sM[threadIdx.y][threadIdx.x] = M[row * k + p * tile + threadIdx.x];
    sN[threadIdx.y][threadIdx.x] = N[(p * tile + threadIdx.y) * n + col];
    __syncthreads();
    for (int i = 0; i < tile; ++i) sum += sM[threadIdx.y][i] * sN[i][threadIdx.x];
    __syncthreads();
  }
  P[row * n + col] = sum;
}

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  matmul<<<dim3(n / tile, m / tile), dim3(tile, tile)>>>(d_M, d_N, d_P, m, k, n)
}

void tiled_matmul_dynamic(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  // todo
}
