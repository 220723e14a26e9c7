// Idea: step_v1 uses managed memory, which the host fills and reads; step has padded managed inputs; semiring
// functors.

#include <algorithm>
#include <cmath>
#include <memory>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/min_plus.hpp"

struct Freed {
  void operator()(float* memory) const { CUDA_CHECK(cudaFree(memory)); }
};
using Managed = std::unique_ptr<float[], Freed>;

Managed managed(size_t elements) {
  float* memory = nullptr;
  CUDA_CHECK(cudaMallocManaged(&memory, elements * sizeof(float)));
  return Managed(memory);
}

struct MinPlus {
  static constexpr float zero = HUGE_VALF;
  __device__ static float sum(float a, float b) { return fminf(a, b); }
  __device__ static float product(float a, float b) { return a + b; }
};

template <class S>
__global__ void product_kernel(float* r, const float* d, int n) {
  const int j = blockIdx.x * 32 + threadIdx.x, i = blockIdx.y * 8 + threadIdx.y;
  if (i >= n || j >= n) return;
  float value = S::zero;
  for (int k = n - 1; k >= 0; --k) value = S::sum(value, S::product(d[i * n + k], d[k * n + j]));
  r[i * n + j] = value;
}

void step_v1(float* r, const float* d, int n) {
  const Managed from = managed(n * n), to = managed(n * n);
  std::copy_n(d, n * n, from.get());
  product_kernel<MinPlus>
      <<<dim3(lab::ceil_div(n, 32), lab::ceil_div(n, 8)), dim3(32, 8)>>>(to.get(), from.get(), n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  std::copy_n(to.get(), n * n, r);
}

__global__ void pad_kernel(const float* in, float* padded, float* transposed, int n, int nn) {
  __shared__ float tile[16][17];
  const int x = threadIdx.x, y = threadIdx.y, i = blockIdx.y * 16 + y, j = blockIdx.x * 16 + x;
  tile[y][x] = i < n && j < n ? in[i * n + j] : HUGE_VALF;
  padded[i * nn + j] = tile[y][x];
  __syncthreads();
  transposed[(blockIdx.x * 16 + y) * nn + blockIdx.y * 16 + x] = tile[x][y];
}

void pad_transpose(const float* d_in, float* d_padded, float* d_transposed, int n, int nn) {
  pad_kernel<<<dim3(nn / 16, nn / 16), dim3(16, 16)>>>(d_in, d_padded, d_transposed, n, nn);
  CUDA_CHECK(cudaGetLastError());
}

template <class S, int kSide, int kEach>
__global__ void __launch_bounds__(kSide* kSide)
    tile_kernel(float* r, const float* __restrict__ d, const float* __restrict__ t, int n, int nn) {
  const int i0 = blockIdx.y * kSide * kEach + threadIdx.y, j0 = blockIdx.x * kSide * kEach + threadIdx.x;
  float best[kEach * kEach];
#pragma unroll
  for (float& value : best) value = S::zero;
  for (int k = 0; k < n; ++k) {
    float left[kEach], right[kEach];
#pragma unroll
    for (int e = 0; e < kEach; ++e) {
      left[e] = t[k * nn + i0 + e * kSide];
      right[e] = d[k * nn + j0 + e * kSide];
    }
#pragma unroll
    for (int e = 0; e < kEach * kEach; ++e)
      best[e] = S::sum(best[e], S::product(left[e / kEach], right[e % kEach]));
  }
#pragma unroll
  for (int e = 0; e < kEach * kEach; ++e)
    if (const int i = i0 + e / kEach * kSide, j = j0 + e % kEach * kSide; i < n && j < n)
      r[i * n + j] = best[e];
}

void step(float* r, const float* d, int n) {
  const int blocks = (n + 63) / 64, nn = blocks * 64;
  const Managed in = managed(n * n), out = managed(n * n);
  float *padded = nullptr, *transposed = nullptr;
  CUDA_CHECK(cudaMalloc(&padded, 2 * nn * nn * sizeof(float)));
  transposed = padded + nn * nn;
  std::copy(d, d + n * n, in.get());
  pad_transpose(in.get(), padded, transposed, n, nn);
  tile_kernel<MinPlus, 8, 8><<<dim3(blocks, blocks), dim3(8, 8)>>>(out.get(), padded, transposed, n, nn);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaStreamSynchronize(nullptr));
  std::copy(out.get(), out.get() + n * n, r);
  CUDA_CHECK(cudaFree(padded));
}
