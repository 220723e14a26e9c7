// Idea: weights and tile as the bits of integers, sums over a warp by one instruction.
#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/memory_types.hpp"
constexpr int W = 32, H = 8, R = lab::kMaxRadius, ROWS = 4;
__global__ void blur_kernel(const float* in, float* out, int width, int height, int radius) {
  const int col = blockIdx.x * W + threadIdx.x, row = blockIdx.y * H + threadIdx.y;
  if (row >= height || col >= width) return;
  float sum = 0;
  int count = 0;
  for (int y = max(row - radius, 0); y <= min(row + radius, height - 1); ++y)
    for (int x = max(col - radius, 0); x <= min(col + radius, width - 1); ++x) {
      sum += in[y * width + x];
      ++count;
    }
  out[row * width + col] = sum / count;
}
void blur(const float* d_in, float* d_out, int width, int height, int radius) {
  blur_kernel<<<dim3(lab::ceil_div(width, W), lab::ceil_div(height, H)), dim3(W, H)>>>(d_in, d_out, width,
                                                                                       height, radius);
  CUDA_CHECK(cudaGetLastError());
}

__constant__ int weights[(2 * R + 1) * (2 * R + 1)];  // bit patterns of floats
__global__ void cc_kernel(const float* in, float* out, int width, int height, int radius) {
  const int col = blockIdx.x * W + threadIdx.x, row = blockIdx.y * H + threadIdx.y;
  if (row >= height || col >= width) return;
  float sum = 0;
  const int d = 2 * radius + 1;
  for (int y = max(row - radius, 0); y <= min(row + radius, height - 1); ++y)
    for (int x = max(col - radius, 0); x <= min(col + radius, width - 1); ++x)
      sum += in[y * width + x] * __int_as_float(weights[(y - row + radius) * d + x - col + radius]);
  out[row * width + col] = sum;
}
void convolve_constant(const float* d_in, const float* h_weights, float* d_out, int width, int height,
                       int radius) {
  CUDA_CHECK(cudaMemcpyToSymbol(weights, h_weights, sizeof(float) * (2 * radius + 1) * (2 * radius + 1)));
  cc_kernel<<<dim3(lab::ceil_div(width, W), lab::ceil_div(height, H)), dim3(W, H)>>>(d_in, d_out, width,
                                                                                     height, radius);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void ct_kernel(const float* in, float* out, int width, int height, int radius) {
  __shared__ int tile[ROWS * H + 2 * R][W + 2 * R];
  const int c0 = blockIdx.x * W - radius, r0 = blockIdx.y * H * ROWS - radius, tw = W + 2 * radius,
            th = H * ROWS + 2 * radius;
  for (int y = threadIdx.y; y < th; y += H)
    for (int x = threadIdx.x; x < tw; x += W) {
      const int r = r0 + y, c = c0 + x;
      tile[y][x] = r >= 0 && r < height && c >= 0 && c < width ? __float_as_int(in[r * width + c]) : 0;
    }
  __syncthreads();
  float s[ROWS] = {};
  const int d = 2 * radius + 1;
  for (int y = 0; y < d; ++y)
    for (int x = 0; x < d; ++x) {
      const float w = __int_as_float(weights[y * d + x]);
#pragma unroll
      for (int i = 0; i < ROWS; ++i)
        s[i] += w * __int_as_float(tile[threadIdx.y + i * H + y][threadIdx.x + x]);
    }
  const int col = blockIdx.x * W + threadIdx.x;
#pragma unroll
  for (int i = 0; i < ROWS; ++i) {
    const int row = blockIdx.y * H * ROWS + i * H + threadIdx.y;
    if (row < height && col < width) out[row * width + col] = s[i];
  }
}
void convolve_tiled(const float* d_in, const float* h_weights, float* d_out, int width, int height,
                    int radius) {
  CUDA_CHECK(cudaMemcpyToSymbol(weights, h_weights, sizeof(float) * (2 * radius + 1) * (2 * radius + 1)));
  ct_kernel<<<dim3(lab::ceil_div(width, W), lab::ceil_div(height, H * ROWS)), dim3(W, H)>>>(
      d_in, d_out, width, height, radius);
  CUDA_CHECK(cudaGetLastError());
}

__device__ int bright_count;
__global__ void count_kernel(const float* image, int pixels, float threshold) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const int c = __reduce_add_sync(~0u, i < pixels && image[i] > threshold ? 1 : 0);
  __shared__ int w[8];
  if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = c;
  __syncthreads();
  if (threadIdx.x == 0) {
    int n = 0;
    for (int j = 0; j < 8; ++j) n += w[j];
    atomicAdd(&bright_count, n);
  }
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
  unsigned long long even = 0, odd = 0;  // four 16-bit counts each
  for (int y = max(row - radius, 0); y <= min(row + radius, height - 1); ++y)
    for (int x = max(col - radius, 0); x <= min(col + radius, width - 1); ++x) {
      const int l = levels[y * width + x];
      const unsigned long long one = 1ull << (l / 2 * 16);
      if (l % 2)
        odd += one;
      else
        even += one;
    }
  int best = 0;
  unsigned n = 0;
  for (int i = 0; i < 8; ++i) {
    const unsigned c = ((i % 2 ? odd : even) >> (i / 2 * 16)) & 0xffff;
    if (c > n) {
      n = c;
      best = i;
    }
  }
  out[row * width + col] = best;
}
void most_frequent(const int* d_levels, int* d_out, int width, int height, int radius) {
  mf_kernel<<<dim3(lab::ceil_div(width, W), lab::ceil_div(height, H)), dim3(W, H)>>>(d_levels, d_out, width,
                                                                                     height, radius);
  CUDA_CHECK(cudaGetLastError());
}
