// No tile: strips of the image are copied to constant memory.
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

__global__ void convolve_constant_kernel(const float* in, float* out, int width, int height, int radius) {
  const int col = blockIdx.x * kBlockWidth + threadIdx.x;
  const int row = blockIdx.y * kBlockHeight + threadIdx.y;
  if (row >= height || col >= width) return;
  const int window = 2 * radius + 1;
  float sum = 0;
  for (int dy = 0; dy < window; ++dy) {
    for (int dx = 0; dx < window; ++dx) {
      const int y = row + dy - radius, x = col + dx - radius;
      if (y >= 0 && y < height && x >= 0 && x < width) sum += c_weights[dy * window + dx] * in[y * width + x];
    }
  }
  out[row * width + col] = sum;
}

static void upload(const float* h_weights, int radius) {
  CUDA_CHECK(cudaMemcpyToSymbol(c_weights, h_weights, (2 * radius + 1) * (2 * radius + 1) * sizeof(float)));
}

void convolve_constant(const float* d_in, const float* h_weights, float* d_out, int width, int height,
                       int radius) {
  upload(h_weights, radius);
  convolve_constant_kernel<<<grid_of(width, height), dim3(kBlockWidth, kBlockHeight)>>>(d_in, d_out, width,
                                                                                        height, radius);
  CUDA_CHECK(cudaGetLastError());
}

constexpr int kRows = 4;
__constant__ float c_pixels[14000];
__global__ void convolve_tiled_kernel(const float* weights, float* out, int width, int height, int radius,
                                      int left, int top, int columns, int rows) {
  const int col = left + blockIdx.x * kBlockWidth + threadIdx.x;
  const int row = top + blockIdx.y * kBlockHeight + threadIdx.y;
  if (row >= min(height, top + rows) || col >= min(width, left + columns)) return;
  const int window = 2 * radius + 1, pitch = columns + 2 * radius;
  float sum = 0;
  for (int dy = 0; dy < window; ++dy) {
    for (int dx = 0; dx < window; ++dx) {
      const int y = row + dy - radius, x = col + dx - radius;
      if (y >= 0 && y < height && x >= 0 && x < width)
        sum += c_weights[dy * window + dx] * c_pixels[(y - top + radius) * pitch + x - left + radius];
    }
  }
  out[row * width + col] = sum;
}
void convolve_tiled(const float* d_in, const float* h_weights, float* d_out, int width, int height,
                    int radius) {
  if (width < 64) return convolve_constant(d_in, h_weights, d_out, width, height, radius);
  upload(h_weights, radius);
  const int columns = 256, pitch = columns + 2 * radius, rows = 14000 / pitch - 2 * radius;
  float* d_pixels = nullptr;
  CUDA_CHECK(cudaGetSymbolAddress((void**)&d_pixels, c_pixels));
  for (int top = 0; top < height; top += rows)
    for (int left = 0; left < width; left += columns) {
      const int y0 = max(top - radius, 0), y1 = min(top + rows + radius, height);
      const int x0 = max(left - radius, 0), x1 = min(left + columns + radius, width);
      CUDA_CHECK(cudaMemcpy2D(d_pixels + (y0 - top + radius) * pitch + x0 - left + radius,
                              pitch * sizeof(float), d_in + y0 * width + x0, width * sizeof(float),
                              (x1 - x0) * sizeof(float), y1 - y0, cudaMemcpyDeviceToDevice));
      convolve_tiled_kernel<<<dim3(8, lab::ceil_div(rows, kBlockHeight)), dim3(kBlockWidth, kBlockHeight)>>>(
          nullptr, d_out, width, height, radius, left, top, columns, rows);
      CUDA_CHECK(cudaGetLastError());
    }
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
