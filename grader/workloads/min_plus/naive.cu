// The baseline of 06-min-plus, version 0: one thread per element of r, and neighbouring threads of a warp
// work on neighbouring rows. Their loads of d[i][k] are n floats apart, so each load needs its own 32-byte
// sector. It frees no memory, so that it misses the objectives on resources that are not freed.
#include <cmath>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/min_plus.hpp"

namespace {

constexpr int kBlockWidth = 16;

__global__ void naive_step(float* r, const float* d, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int j = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (i >= n || j >= n) return;  // the last blocks are partly empty
  float least = HUGE_VALF;
  for (int k = 0; k < n; ++k) least = fminf(least, d[i * n + k] + d[k * n + j]);
  r[i * n + j] = least;
}

__global__ void naive_pad_transpose(const float* in, float* padded, float* transposed, int n, int nn) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int j = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const float value = i < n && j < n ? in[i * n + j] : HUGE_VALF;  // the grid covers nn × nn exactly
  padded[i * nn + j] = value;
  transposed[j * nn + i] = value;
}

}  // namespace

void step(float* r, const float* d, int n) {
  const std::size_t bytes = sizeof(float) * n * n;
  float* d_d = nullptr;
  float* d_r = nullptr;
  CUDA_CHECK(cudaMalloc(&d_d, bytes));
  CUDA_CHECK(cudaMalloc(&d_r, bytes));
  CUDA_CHECK(cudaMemcpy(d_d, d, bytes, cudaMemcpyHostToDevice));
  const int blocks = lab::ceil_div(n, kBlockWidth);
  naive_step<<<dim3(blocks, blocks), dim3(kBlockWidth, kBlockWidth)>>>(d_r, d_d, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(r, d_r, bytes, cudaMemcpyDeviceToHost));
}

void step_v1(float* r, const float* d, int n) { step(r, d, n); }

void pad_transpose(const float* d_in, float* d_padded, float* d_transposed, int n, int nn) {
  const int blocks = nn / kBlockWidth;
  const dim3 block(kBlockWidth, kBlockWidth);
  naive_pad_transpose<<<dim3(blocks, blocks), block>>>(d_in, d_padded, d_transposed, n, nn);
  CUDA_CHECK(cudaGetLastError());
}
