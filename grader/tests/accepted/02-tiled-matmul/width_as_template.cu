// Idea: one template kernel for all widths, also the dynamic one; 1D blocks, from which 2D indices are
// computed.

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/tiled_matmul.hpp"

struct Problem {
  const float* __restrict__ M;
  const float* __restrict__ N;
  float* __restrict__ P;
  int m, k, n;
};

template <int W>
__device__ void multiply(const Problem& p, float* tile_M, float* tile_N) {
  const int ty = threadIdx.x / W, tx = threadIdx.x % W;
  const int tiles_across = (p.n + W - 1) / W;
  const int row = blockIdx.x / tiles_across * W + ty, col = blockIdx.x % tiles_across * W + tx;
  float sum = 0;
  for (int at = 0; at < p.k; at += W) {
    tile_M[threadIdx.x] = row < p.m && at + tx < p.k ? p.M[row * p.k + at + tx] : 0.f;
    tile_N[threadIdx.x] = col < p.n && at + ty < p.k ? p.N[(at + ty) * p.n + col] : 0.f;
    __syncthreads();
    if constexpr (W >= 4) {
      // Four independent sums.
      float4 part = {0, 0, 0, 0};
#pragma unroll
      for (int i = 0; i < W; i += 4) {
        part.x += tile_M[ty * W + i] * tile_N[i * W + tx];
        part.y += tile_M[ty * W + i + 1] * tile_N[(i + 1) * W + tx];
        part.z += tile_M[ty * W + i + 2] * tile_N[(i + 2) * W + tx];
        part.w += tile_M[ty * W + i + 3] * tile_N[(i + 3) * W + tx];
      }
      sum += part.x + part.y + (part.z + part.w);
    } else {
      for (int i = 0; i < W; ++i) sum += tile_M[ty * W + i] * tile_N[i * W + tx];
    }
    __syncthreads();
  }
  if (row < p.m && col < p.n) p.P[row * p.n + col] = sum;
}

template <int W>
__global__ void static_kernel(const Problem problem) {
  __shared__ float tiles[2 * W * W];
  multiply<W>(problem, tiles, tiles + W * W);
}

template <int W>
__global__ void dynamic_kernel(const Problem problem) {
  extern __shared__ unsigned char bytes[];
  float* tiles = reinterpret_cast<float*>(bytes);
  multiply<W>(problem, tiles, tiles + W * W);
}

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  constexpr int W = 16;
  static_kernel<W><<<lab::ceil_div(m, W) * lab::ceil_div(n, W), W * W>>>({d_M, d_N, d_P, m, k, n});
  CUDA_CHECK(cudaGetLastError());
}

template <int W>
void launch_widest(const Problem& p, int max_threads, int max_bytes) {
  constexpr int kBytes = 2 * W * W * sizeof(float);
  if (W == 1 || (W * W <= max_threads && kBytes <= max_bytes)) {
    dynamic_kernel<W><<<lab::ceil_div(p.m, W) * lab::ceil_div(p.n, W), W * W, kBytes>>>(p);
  } else {
    if constexpr (W > 1) launch_widest<W / 2>(p, max_threads, max_bytes);
  }
}

void tiled_matmul_dynamic(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  int threads = 0, bytes = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerBlock, 0));
  CUDA_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlock, 0));
  launch_widest<32>({d_M, d_N, d_P, m, k, n}, threads, bytes);
  CUDA_CHECK(cudaGetLastError());
}
