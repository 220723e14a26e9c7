// Matrix products, ordinary and min-plus.
#pragma once

#include "course.hpp"

namespace course {

constexpr int kTile = 16;

__global__ void matmul_naive(const float* A, const float* B, float* C, int M, int K, int N) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= N) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = sum;
}

__global__ void matmul_tiled(const float* A, const float* B, float* C, int M, int K, int N) {
  __shared__ float As[kTile][kTile], Bs[kTile][kTile];
  const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * kTile + ty, col = blockIdx.x * kTile + tx;
  float sum = 0;
  for (int t = 0; t < (K + kTile - 1) / kTile; ++t) {
    As[ty][tx] = row < M && t * kTile + tx < K ? A[row * K + t * kTile + tx] : 0.F;
    Bs[ty][tx] = t * kTile + ty < K && col < N ? B[(t * kTile + ty) * N + col] : 0.F;
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = sum;
}

__global__ void matmul_double(const double* A, const double* B, double* C, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n) return;
  double sum = 0;
  for (int k = 0; k < n; ++k) sum += A[row * n + k] * B[k * n + col];
  C[row * n + col] = sum;
}

/// Shortest paths of two edges. 8 x 8 threads compute a tile of 64 x 64, each thread 8 x 8 results in
/// registers; `d` and its transpose `dt` have rows of `nn` elements, a multiple of 64.
__global__ void minplus8x8(float* r, const float* d, const float* dt, int n, int nn) {
  const int ia = threadIdx.x, ja = threadIdx.y, ic = blockIdx.x, jc = blockIdx.y;
  float v[8][8];
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) v[i][j] = 1e30F;
  }
  for (int k = 0; k < n; ++k) {
    float x[8], y[8];
    for (int b = 0; b < 8; ++b) {
      x[b] = dt[nn * k + ic * 64 + b * 8 + ia];
      y[b] = d[nn * k + jc * 64 + b * 8 + ja];
    }
    for (int i = 0; i < 8; ++i) {
      for (int j = 0; j < 8; ++j) v[i][j] = min(v[i][j], x[i] + y[j]);
    }
  }
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      const int a = ic * 64 + i * 8 + ia, b = jc * 64 + j * 8 + ja;
      if (a < n && b < n) r[n * a + b] = v[i][j];
    }
  }
}

inline void run_minplus(Results& results, Random& random) {
  const int n = 70, nn = 128;
  const std::vector<float> lengths = random.reals(n * nn, 0, 10);
  std::vector<float> transposed(n * nn);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) transposed[i * nn + j] = lengths[j * nn + i];
  }
  const Array<float> d(lengths), dt(transposed), r(n * n);
  minplus8x8<<<dim3(nn / 64, nn / 64), dim3(8, 8)>>>(r, d, dt, n, nn);
  results.launched("minplus8x8");
  results.add("r", r);
}

inline void run_matrices(Results& results) {
  Random random(2);
  const dim3 block(kTile, kTile);
  const struct {
    const char *naive, *tiled;
    int M, K, N;
  } kSizes[] = {{"matmul_naive", "matmul_tiled", 37, 29, 27},
                {"matmul_naive_thin", "matmul_tiled_thin", 1, 67, 65},
                {"matmul_naive_large", "matmul_tiled_large", 100, 90, 110}};
  for (const auto& size : kSizes) {
    const Array<float> A(random.reals(size.M * size.K)), B(random.reals(size.K * size.N)), C(size.M * size.N);
    const dim3 grid = blocks_for(size.N, size.M, block);
    matmul_naive<<<grid, block>>>(A, B, C, size.M, size.K, size.N);
    results.launched(size.naive);
    results.add("C", C);
    cudaMemset(C, 0xFF, size.M * size.N * sizeof(float));
    matmul_tiled<<<grid, block>>>(A, B, C, size.M, size.K, size.N);
    results.launched(size.tiled);
    results.add("C", C);
  }

  const int n = 31;
  const Array<double> A(random.reals<double>(n * n)), B(random.reals<double>(n * n)), C(n * n);
  matmul_double<<<dim3(4, 4), dim3(8, 8)>>>(A, B, C, n);
  results.launched("matmul_double");
  results.add("C", C);

  run_minplus(results, random);
}

}  // namespace course
