// Weights in registers of a warp, exchanged by shuffles; constant memory is read for show.
#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/memory_types.hpp"

constexpr int kBlockWidth = 32;
constexpr int kBlockHeight = 8;
constexpr int kWeights = (2 * lab::kMaxRadius + 1) * (2 * lab::kMaxRadius + 1);

static dim3 grid_of(int width, int height) {
  return dim3(lab::ceil_div(width, kBlockWidth), lab::ceil_div(height, kBlockHeight));
}

__global__ void blur_kernel(const float* in, float* out, int width, int height, int radius) {
  const int col = blockIdx.x * kBlockWidth + threadIdx.x;
  const int row = blockIdx.y * kBlockHeight + threadIdx.y;
  if (row >= height || col >= width) return;
  int count = 0;
  float sum = 0;
  for (int y = max(row - radius, 0); y <= min(row + radius, height - 1); ++y) {
    for (int x = max(col - radius, 0); x <= min(col + radius, width - 1); ++x) {
      sum = sum + in[y * width + x];
      ++count;
    }
  }
  out[row * width + col] = sum / count;
}

void blur(const float* d_in, float* d_out, int width, int height, int radius) {
  blur_kernel<<<grid_of(width, height), dim3(kBlockWidth, kBlockHeight)>>>(d_in, d_out, width, height,
                                                                           radius);
  CUDA_CHECK(cudaGetLastError());
}

__constant__ float c_weights[kWeights];

__device__ float g_weights[kWeights];
__global__ void convolve_constant_kernel(const float* in, float* out, int width, int height, int radius) {
  const int col = blockIdx.x * kBlockWidth + threadIdx.x;
  const int row = blockIdx.y * kBlockHeight + threadIdx.y;
  const int window = 2 * radius + 1, lane = threadIdx.x;
  float mine[10];
#pragma unroll
  for (int i = 0; i < 10; ++i) mine[i] = 32 * i + lane < window * window ? g_weights[32 * i + lane] : 0.0f;
  float sum = 0;
  for (int i = 0; i < 12; ++i) sum += c_weights[i];
#pragma unroll
  for (int part = 0; part < 10; ++part) {
    for (int l = 0; l < 32 && 32 * part + l < window * window; ++l) {
      const float weight = __shfl_sync(0xffffffffu, mine[part], l);
      const int i = 32 * part + l, y = row + i / window - radius, x = col + i % window - radius;
      if (y >= 0 && y < height && x >= 0 && x < width) sum += weight * in[y * width + x];
    }
  }
  if (row < height && col < width) out[row * width + col] = sum;
}

static void upload(const float* h_weights, int radius) {
  CUDA_CHECK(cudaMemcpyToSymbol(c_weights, h_weights, (2 * radius + 1) * (2 * radius + 1) * sizeof(float)));
}

void convolve_constant(const float* d_in, const float* h_weights, float* d_out, int width, int height,
                       int radius) {
  CUDA_CHECK(cudaMemcpyToSymbol(g_weights, h_weights, (2 * radius + 1) * (2 * radius + 1) * sizeof(float)));
  convolve_constant_kernel<<<grid_of(width, height), dim3(kBlockWidth, kBlockHeight)>>>(d_in, d_out, width,
                                                                                        height, radius);
  CUDA_CHECK(cudaGetLastError());
}

constexpr int kRows = 4;
__global__ void convolve_tiled_kernel(const float* in, float* out, int width, int height, int radius) {
  __shared__ float tile[kRows * kBlockHeight + 2 * lab::kMaxRadius][kBlockWidth + 2 * lab::kMaxRadius];
  const int top = blockIdx.y * kRows * kBlockHeight - radius, left = blockIdx.x * kBlockWidth - radius;
  for (int ty = threadIdx.y; ty < kRows * kBlockHeight + 2 * radius; ty += kBlockHeight) {
    for (int tx = threadIdx.x; tx < kBlockWidth + 2 * radius; tx += kBlockWidth) {
      const int y = top + ty, x = left + tx;
      const bool inside = y >= 0 && y < height && x >= 0 && x < width;
      tile[ty][tx] = inside ? in[y * width + x] : 0.0f;
    }
  }
  __syncthreads();
  const int window = 2 * radius + 1;
  float sums[kRows] = {};
  for (int dy = 0; dy < window; ++dy) {
    for (int dx = 0; dx < window; ++dx) {
      const float weight = c_weights[dy * window + dx];
#pragma unroll
      for (int r = 0; r < kRows; ++r)
        sums[r] += weight * tile[threadIdx.y + r * kBlockHeight + dy][threadIdx.x + dx];
    }
  }
  const int col = blockIdx.x * kBlockWidth + threadIdx.x;
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const int row = (blockIdx.y * kRows + r) * kBlockHeight + threadIdx.y;
    if (row < height && col < width) out[row * width + col] = sums[r];
  }
}
void convolve_tiled(const float* d_in, const float* h_weights, float* d_out, int width, int height,
                    int radius) {
  upload(h_weights, radius);
  convolve_tiled_kernel<<<dim3(lab::ceil_div(width, kBlockWidth),
                               lab::ceil_div(height, kRows * kBlockHeight)),
                          dim3(kBlockWidth, kBlockHeight)>>>(d_in, d_out, width, height, radius);
  CUDA_CHECK(cudaGetLastError());
}

__device__ int bright_count;

__global__ void count_kernel(const float* image, int pixels, float threshold) {
  __shared__ int count;
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  if (i < pixels && image[i] > threshold) atomicAdd(&count, 1);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(&bright_count, count);
}

void count_bright(const float* d_image, int width, int height, float threshold, bool restart, int* h_count) {
  const int zero = 0;
  if (restart) CUDA_CHECK(cudaMemcpyToSymbol(bright_count, &zero, sizeof zero));
  count_kernel<<<lab::ceil_div(width * height, 256), 256>>>(d_image, width * height, threshold);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpyFromSymbol(h_count, bright_count, sizeof(int)));
}

__global__ void most_frequent_kernel(const int* levels, int* out, int width, int height, int radius) {
  const int col = blockIdx.x * kBlockWidth + threadIdx.x;
  const int row = blockIdx.y * kBlockHeight + threadIdx.y;
  if (row >= height || col >= width) return;
  int histogram[lab::kLevels] = {};
  for (int y = max(row - radius, 0); y <= min(row + radius, height - 1); ++y) {
    for (int x = max(col - radius, 0); x <= min(col + radius, width - 1); ++x) {
      const int level = levels[y * width + x];
#pragma unroll
      for (int i = 0; i < lab::kLevels; ++i) histogram[i] += level == i;
    }
  }
  int best = 0, most = histogram[0];
#pragma unroll
  for (int i = 1; i < lab::kLevels; ++i) {
    if (histogram[i] > most) {
      best = i;
      most = histogram[i];
    }
  }
  out[row * width + col] = best;
}

void most_frequent(const int* d_levels, int* d_out, int width, int height, int radius) {
  most_frequent_kernel<<<grid_of(width, height), dim3(kBlockWidth, kBlockHeight)>>>(d_levels, d_out, width,
                                                                                    height, radius);
  CUDA_CHECK(cudaGetLastError());
}
