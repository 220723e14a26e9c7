// Tiled matrix product, Ada L.
#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/tiled_matmul.hpp"

constexpr int W = 32;

__global__ void multiply(const float* M, const float* N, float* P, int m, int k, int n) {
  __shared__ float Ms[W][W];
  __shared__ float Ns[W][W];

  int x = threadIdx.x;
  int y = threadIdx.y;
  int row = blockIdx.y * W + y;
  int col = blockIdx.x * W + x;

  float acc = 0.f;
  int phases = lab::ceil_div(k, W);
  for (int p = 0; p < phases; p++) {
    // zero outside the matrices so that the inner loop needs no condition
    Ms[y][x] = 0.f;
    if (row < m && p * W + x < k) Ms[y][x] = M[row * k + p * W + x];
    Ns[y][x] = 0.f;
    if (p * W + y < k && col < n) Ns[y][x] = N[(p * W + y) * n + col];
    __syncthreads();
    for (int i = 0; i < W; i++) acc += Ms[y][i] * Ns[i][x];
    __syncthreads();
  }
  if (row < m && col < n) P[row * n + col] = acc;
}

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  dim3 threads(W, W);
  dim3 blocks(lab::ceil_div(n, W), lab::ceil_div(m, W));
  multiply<<<blocks, threads>>>(d_M, d_N, d_P, m, k, n);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void multiply_dynamic(const float* M, const float* N, float* P, int m, int k, int n, int w) {
  extern __shared__ float both[];
  float* Ms = both;
  float* Ns = &both[w * w];

  int x = threadIdx.x;
  int y = threadIdx.y;
  int row = blockIdx.y * w + y;
  int col = blockIdx.x * w + x;

  float acc = 0.f;
  int phases = lab::ceil_div(k, w);
  for (int p = 0; p < phases; p++) {
    Ms[y * w + x] = (row < m && p * w + x < k) ? M[row * k + p * w + x] : 0.f;
    Ns[y * w + x] = (p * w + y < k && col < n) ? N[(p * w + y) * n + col] : 0.f;
    __syncthreads();
    for (int i = 0; i < w; i++) acc += Ms[y * w + i] * Ns[i * w + x];
    __syncthreads();
  }
  if (row < m && col < n) P[row * n + col] = acc;
}

int choose_tile_width() {
  int threads = 0, bytes = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerBlock, 0));
  CUDA_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlock, 0));
  int w = 1;
  while (w < 32 && 2 * w * 2 * w <= threads && 2 * (2 * w) * (2 * w) * int(sizeof(float)) <= bytes) w *= 2;
  return w;
}

void tiled_matmul_dynamic(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  int w = choose_tile_width();
  dim3 blocks(lab::ceil_div(n, w), lab::ceil_div(m, w));
  multiply_dynamic<<<blocks, dim3(w, w), 2 * w * w * sizeof(float)>>>(d_M, d_N, d_P, m, k, n, w);
  CUDA_CHECK(cudaGetLastError());
}
