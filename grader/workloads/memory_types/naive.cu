// The baseline of 01-memory-types: one thread per pixel, and global memory wherever that is possible.
#include "lab/memory_types.hpp"

namespace {

constexpr int kBlockWidth = 16;

dim3 grid_for(int width, int height) {
  return {static_cast<unsigned>((width + kBlockWidth - 1) / kBlockWidth),
          static_cast<unsigned>((height + kBlockWidth - 1) / kBlockWidth)};
}
const dim3 kBlock(kBlockWidth, kBlockWidth);

__device__ bool exists(int row, int column, int width, int height) {
  return row >= 0 && row < height && column >= 0 && column < width;
}

/// The sum is kept in the output image, so each term costs a load and a store.
__global__ void blur_kernel(const float* in, float* out, int width, int height, int radius) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (!exists(row, column, width, height)) return;
  float* sum = &out[row * width + column];
  int pixels = 0;
  *sum = 0.0F;
  for (int y = row - radius; y <= row + radius; ++y)
    for (int x = column - radius; x <= column + radius; ++x)
      if (exists(y, x, width, height)) {
        *sum += in[y * width + x];
        ++pixels;
      }
  *sum /= static_cast<float>(pixels);
}

/// Each term loads a pixel and a weight from global memory.
__global__ void convolve_kernel(const float* in, const float* weights, float* out, int width, int height,
                                int radius) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (!exists(row, column, width, height)) return;
  float sum = 0.0F;
  for (int dy = -radius; dy <= radius; ++dy)
    for (int dx = -radius; dx <= radius; ++dx)
      if (exists(row + dy, column + dx, width, height))
        sum += weights[(dy + radius) * (2 * radius + 1) + dx + radius] * in[(row + dy) * width + column + dx];
  out[row * width + column] = sum;
}

void convolve(const float* d_in, const float* h_weights, float* d_out, int width, int height, int radius) {
  const std::size_t bytes = sizeof(float) * (2 * radius + 1) * (2 * radius + 1);
  float* d_weights = nullptr;
  cudaMalloc(&d_weights, bytes);
  cudaMemcpy(d_weights, h_weights, bytes, cudaMemcpyHostToDevice);
  convolve_kernel<<<grid_for(width, height), kBlock>>>(d_in, d_weights, d_out, width, height, radius);
  cudaFree(d_weights);  // waits for the kernel
}

/// Every bright pixel costs an atomic operation on the same word.
__global__ void count_kernel(const float* image, int pixels, float threshold, int* count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < pixels && image[i] > threshold) atomicAdd(count, 1);
}

/// The histogram's index depends on data, so the histogram is in local memory.
__global__ void most_frequent_kernel(const int* levels, int* out, int width, int height, int radius) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (!exists(row, column, width, height)) return;
  int histogram[lab::kLevels] = {};
  for (int y = row - radius; y <= row + radius; ++y)
    for (int x = column - radius; x <= column + radius; ++x)
      if (exists(y, x, width, height)) ++histogram[levels[y * width + x]];
  int best = 0;
  for (int level = 1; level < lab::kLevels; ++level)
    if (histogram[level] > histogram[best]) best = level;
  out[row * width + column] = best;
}

}  // namespace

void blur(const float* d_in, float* d_out, int width, int height, int radius) {
  blur_kernel<<<grid_for(width, height), kBlock>>>(d_in, d_out, width, height, radius);
}

void convolve_constant(const float* d_in, const float* h_weights, float* d_out, int width, int height,
                       int radius) {
  convolve(d_in, h_weights, d_out, width, height, radius);
}

void convolve_tiled(const float* d_in, const float* h_weights, float* d_out, int width, int height,
                    int radius) {
  convolve(d_in, h_weights, d_out, width, height, radius);
}

void count_bright(const float* d_image, int width, int height, float threshold, bool restart, int* h_count) {
  constexpr int kBlockThreads = 256;
  static int* d_count = nullptr;
  if (d_count == nullptr) cudaMalloc(&d_count, sizeof(int));
  if (restart) cudaMemset(d_count, 0, sizeof(int));
  const int pixels = width * height;
  count_kernel<<<(pixels + kBlockThreads - 1) / kBlockThreads, kBlockThreads>>>(d_image, pixels, threshold,
                                                                                d_count);
  cudaMemcpy(h_count, d_count, sizeof(int), cudaMemcpyDeviceToHost);
}

void most_frequent(const int* d_levels, int* d_out, int width, int height, int radius) {
  most_frequent_kernel<<<grid_for(width, height), kBlock>>>(d_levels, d_out, width, height, radius);
}
