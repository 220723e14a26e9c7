// The baseline of 02-tiled-matmul: one thread per element of P, all operands from global memory. Each thread
// loads 8 bytes per multiplication and addition: 4 bytes per operation.
#include "lab/tiled_matmul.hpp"

namespace {

constexpr int kBlockWidth = 16;

/// P = M × N; M is m × k, N is k × n, row-major. The grid covers P and can be larger.
__global__ void naive_matmul(const float* M, const float* N, float* P, int m, int k, int n) {
  const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= m || column >= n) return;  // the last blocks are partly empty
  float sum = 0.0F;
  for (int i = 0; i < k; ++i) sum += M[row * k + i] * N[i * n + column];
  P[row * n + column] = sum;
}

void launch(int width, const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  const dim3 block(width, width);
  const dim3 grid((n + width - 1) / width, (m + width - 1) / width);
  naive_matmul<<<grid, block>>>(d_M, d_N, d_P, m, k, n);
}

}  // namespace

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  launch(kBlockWidth, d_M, d_N, d_P, m, k, n);
}

void tiled_matmul_dynamic(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  int most_threads = 0;  // per block; some cases allow few
  cudaDeviceGetAttribute(&most_threads, cudaDevAttrMaxThreadsPerBlock, 0);
  int width = kBlockWidth;
  while (width * width > most_threads) width /= 2;
  launch(width, d_M, d_N, d_P, m, k, n);
}
