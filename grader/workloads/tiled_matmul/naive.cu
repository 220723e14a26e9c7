// The baseline of 02-tiled-matmul: one thread for each element of P, everything from global memory. Each
// thread asks for 8 bytes for every multiplication and addition: 4 bytes per operation.
#include "lab/tiled_matmul.hpp"

namespace {

constexpr int kBlockWidth = 16;

/// P = M × N; M is m × k, N is k × n, row-major. The grid covers P and may be larger.
__global__ void naive_matmul(const float* M, const float* N, float* P, int m, int k, int n) {
  const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= m || column >= n) return;  // the last blocks are partly empty
  float sum = 0.0F;
  for (int i = 0; i < k; ++i) sum += M[row * k + i] * N[i * n + column];
  P[row * n + column] = sum;
}

void launch(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  const dim3 block(kBlockWidth, kBlockWidth);
  const dim3 grid((n + kBlockWidth - 1) / kBlockWidth, (m + kBlockWidth - 1) / kBlockWidth);
  naive_matmul<<<grid, block>>>(d_M, d_N, d_P, m, k, n);
}

}  // namespace

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  launch(d_M, d_N, d_P, m, k, n);
}

void tiled_matmul_dynamic(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  launch(d_M, d_N, d_P, m, k, n);
}
