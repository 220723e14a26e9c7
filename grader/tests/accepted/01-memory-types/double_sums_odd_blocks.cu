// Idea: blocks of 7 × 13 threads, sums in double, Kahan sums, and 1D blocks whose 2D indices are computed.

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/memory_types.hpp"

constexpr int kMaxWindow = 2 * lab::kMaxRadius + 1;
__constant__ float c_weights[kMaxWindow][kMaxWindow];  // row by row, with a fixed stride
__device__ unsigned long long bright[1];

struct Kahan {
  float sum = 0, lost = 0;
  __device__ void add(float value) {
    const float y = __fsub_rn(value, lost);
    const float t = __fadd_rn(sum, y);
    lost = __fsub_rn(__fsub_rn(t, sum), y);
    sum = t;
  }
};

__global__ void blur_kernel(const float* in, float* out, int width, int height, int radius) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < height && col < width) {
    double sum = 0.0;
    int pixels = 0;
    for (int dx = radius; dx >= -radius; --dx)
      for (int dy = radius; dy >= -radius; --dy) {
        const int y = row + dy, x = col + dx;
        if (static_cast<unsigned>(y) >= static_cast<unsigned>(height)) continue;
        if (static_cast<unsigned>(x) >= static_cast<unsigned>(width)) continue;
        sum += in[y * width + x];
        pixels++;
      }
    out[row * width + col] = static_cast<float>(sum / pixels);
  }
}

void blur(const float* d_in, float* d_out, int width, int height, int radius) {
  const dim3 block(7, 13), grid(lab::ceil_div(width, 7), lab::ceil_div(height, 13));
  blur_kernel<<<grid, block>>>(d_in, d_out, width, height, radius);
  CUDA_CHECK(cudaGetLastError());
}

void upload(const float* h_weights, int radius) {
  const size_t row = (2 * radius + 1) * sizeof(float);
  void* d_weights = nullptr;
  CUDA_CHECK(cudaGetSymbolAddress(&d_weights, c_weights));
  CUDA_CHECK(cudaMemcpy2D(d_weights, sizeof c_weights[0], h_weights, row, row, 2 * radius + 1,
                          cudaMemcpyHostToDevice));
}

__global__ void convolve_constant_kernel(const float* in, float* out, int width, int height, int radius) {
  const int pixels = width * height;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pixels; i += gridDim.x * blockDim.x) {
    const int row = i / width, col = i % width;
    Kahan sum;
    for (int y = max(row - radius, 0); y <= min(row + radius, height - 1); ++y)
      for (int x = max(col - radius, 0); x <= min(col + radius, width - 1); ++x)
        sum.add(c_weights[y - row + radius][x - col + radius] * in[y * width + x]);
    out[i] = sum.sum;
  }
}

void convolve_constant(const float* d_in, const float* h_weights, float* d_out, int width, int height,
                       int radius) {
  upload(h_weights, radius);
  convolve_constant_kernel<<<96, 96>>>(d_in, d_out, width, height, radius);
  CUDA_CHECK(cudaGetLastError());
}

// 128 threads in a row: 4 warps; each thread has 4 neighbouring rows of one column.
__global__ void __launch_bounds__(128)
    convolve_tiled_kernel(const float* in, float* out, int width, int height, int radius) {
  extern __shared__ float tile[];
  const int pitch = 32 + 2 * radius, rows = 16 + 2 * radius;
  const int left = blockIdx.x * 32 - radius, top = blockIdx.y * 16 - radius;
  for (int i = threadIdx.x; i < pitch * rows; i += 128) {
    const int y = top + i / pitch, x = left + i % pitch;
    tile[i] = 0;
    if (y >= 0 && y < height && x >= 0 && x < width) tile[i] = in[y * width + x];
  }
  __syncthreads();
  const int tx = threadIdx.x & 31, ty = threadIdx.x >> 5 << 2;
  float sums[4] = {};
  for (int dx = 0; dx <= 2 * radius; ++dx)
    for (int dy = 0; dy <= 2 * radius; ++dy) {
      const float w = c_weights[dy][dx];
      const float* from = tile + (ty + dy) * pitch + tx + dx;
#pragma unroll
      for (int r = 0; r < 4; ++r, from += pitch) sums[r] += w * *from;
    }
  const int col = blockIdx.x * 32 + tx;
#pragma unroll
  for (int r = 0; r < 4; ++r)
    if (const int row = blockIdx.y * 16 + ty + r; row < height && col < width)
      out[row * width + col] = sums[r];
}

void convolve_tiled(const float* d_in, const float* h_weights, float* d_out, int width, int height,
                    int radius) {
  upload(h_weights, radius);
  const dim3 grid(lab::ceil_div(width, 32), lab::ceil_div(height, 16));
  const size_t bytes = (32 + 2 * radius) * (16 + 2 * radius) * sizeof(float);
  convolve_tiled_kernel<<<grid, 128, bytes>>>(d_in, d_out, width, height, radius);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void count_kernel(const float* image, int pixels, float threshold) {
  __shared__ int votes[33];
  int mine = 0;
  for (int i = blockIdx.x * 33 + threadIdx.x; i < pixels; i += 33 * gridDim.x)
    mine += image[i] > threshold ? 1 : 0;
  votes[threadIdx.x] = mine;
  __syncthreads();
  if (threadIdx.x != 0) return;
  unsigned long long all = 0;
  for (int vote : votes) all += vote;
  atomicAdd(bright, all);
}

void count_bright(const float* d_image, int width, int height, float threshold, bool restart, int* h_count) {
  unsigned long long count = 0;
  if (restart) CUDA_CHECK(cudaMemcpyToSymbol(bright, &count, sizeof count));
  count_kernel<<<24, 33>>>(d_image, width * height, threshold);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpyFromSymbol(&count, bright, sizeof count));
  *h_count = static_cast<int>(count);
}

// Nine bits for each of eight levels would do: 17 × 17 = 289 < 512. Two words of four counters of 16 bits.
__global__ void most_frequent_kernel(const int* levels, int* out, int width, int height, int radius) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= height || col >= width) return;
  unsigned long long low = 0, high = 0;
  for (int y = max(row - radius, 0); y <= min(row + radius, height - 1); ++y)
    for (int x = max(col - radius, 0); x <= min(col + radius, width - 1); ++x) {
      const int level = __ldg(levels + y * width + x);
      const unsigned long long one = 1ull << (level % 4 * 16);
      if (level < 4)
        low += one;
      else
        high += one;
    }
  int best = 0, most = -1;
  for (int level = 0; level < 8; ++level) {
    const int count = static_cast<int>((level < 4 ? low : high) >> (level % 4 * 16) & 0xffff);
    if (count > most) best = level, most = count;
  }
  out[row * width + col] = best;
}

void most_frequent(const int* d_levels, int* d_out, int width, int height, int radius) {
  const dim3 block(33, 3), grid(lab::ceil_div(width, 33), lab::ceil_div(height, 3));
  most_frequent_kernel<<<grid, block>>>(d_levels, d_out, width, height, radius);
  CUDA_CHECK(cudaGetLastError());
}
