// Accepted: blocks of 16 × 16, and shared memory wherever threads work together or need an array: the blur
// also has a tile, tiles are as high as this radius needs, and the histograms are in shared memory, one
// column per thread, where an index can depend on data.

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/memory_types.hpp"

constexpr int kBlock = 16;
constexpr int kThreads = kBlock * kBlock;
constexpr int kPerThread = 4;  // pixels of the tiled convolution, kBlock rows apart
constexpr int kMaxWeights = (2 * lab::kMaxRadius + 1) * (2 * lab::kMaxRadius + 1);

__constant__ float weights[kMaxWeights];
__device__ int bright;

struct Image {
  int width, height;
  __device__ bool has(int row, int col) const { return row >= 0 && row < height && col >= 0 && col < width; }
};

// Rows of a tile are an odd multiple of 16 floats apart, so that the two rows of a warp use different banks.
constexpr int kPitch = 3 * kBlock;  // ≥ kBlock + 2 * lab::kMaxRadius
int tile_bytes(int rows, int radius) {
  return (rows + 2 * radius) * kPitch * static_cast<int>(sizeof(float));
}

// Fills the tile around this block, whose pixels have `rows` rows, with 0 where there is no pixel, and waits
// until it is complete.
__device__ void load_tile(float* tile, const float* in, Image image, int rows, int radius) {
  const int cols = kBlock + 2 * radius;
  for (int i = threadIdx.y * kBlock + threadIdx.x; i < cols * (rows + 2 * radius); i += kThreads) {
    const int row = blockIdx.y * rows + i / cols - radius;
    const int col = blockIdx.x * kBlock + i % cols - radius;
    tile[i / cols * kPitch + i % cols] = image.has(row, col) ? in[row * image.width + col] : 0.0f;
  }
  __syncthreads();
}

__global__ void blur_kernel(const float* in, float* out, Image image, int radius) {
  extern __shared__ float tile[];
  load_tile(tile, in, image, kBlock, radius);
  const int row = blockIdx.y * kBlock + threadIdx.y;
  const int col = blockIdx.x * kBlock + threadIdx.x;
  if (!image.has(row, col)) return;

  float sum = 0.0f;
  for (int y = 0; y <= 2 * radius; ++y)
    for (int x = 0; x <= 2 * radius; ++x) sum += tile[(threadIdx.y + y) * kPitch + threadIdx.x + x];
  const int rows = min(row + radius, image.height - 1) - max(row - radius, 0) + 1;
  const int cols = min(col + radius, image.width - 1) - max(col - radius, 0) + 1;
  out[row * image.width + col] = sum / (rows * cols);
}

__global__ void convolve_constant_kernel(const float* in, float* out, Image image, int radius) {
  const int row = blockIdx.y * kBlock + threadIdx.y;
  const int col = blockIdx.x * kBlock + threadIdx.x;
  if (!image.has(row, col)) return;
  const float* weight = weights;  // goes through the window in the weights' order in memory
  float sum = 0.0f;
  for (int y = row - radius; y <= row + radius; ++y)
    for (int x = col - radius; x <= col + radius; ++x, ++weight)
      if (image.has(y, x)) sum = fmaf(*weight, in[y * image.width + x], sum);
  out[row * image.width + col] = sum;
}

__global__ void convolve_tiled_kernel(const float* in, float* out, Image image, int radius) {
  extern __shared__ float tile[];
  load_tile(tile, in, image, kPerThread * kBlock, radius);
  float sums[kPerThread] = {};
  for (int y = 0; y <= 2 * radius; ++y) {
    const float* tile_row = &tile[(threadIdx.y + y) * kPitch + threadIdx.x];
    const float* weight_row = &weights[y * (2 * radius + 1)];
    for (int x = 0; x <= 2 * radius; ++x) {
#pragma unroll
      for (int i = 0; i < kPerThread; ++i) sums[i] += weight_row[x] * tile_row[i * kBlock * kPitch + x];
    }
  }
  const int first_row = blockIdx.y * kPerThread * kBlock + threadIdx.y;
  const int col = blockIdx.x * kBlock + threadIdx.x;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    const int row = first_row + i * kBlock;
    if (image.has(row, col)) out[row * image.width + col] = sums[i];
  }
}

__global__ void count_kernel(const float* image, int pixels, float threshold) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int in_block = __syncthreads_count(i < pixels && image[i] > threshold);
  if (threadIdx.x == 0 && in_block > 0) atomicAdd(&bright, in_block);
}

__global__ void restart_kernel() { bright = 0; }

__global__ void most_frequent_kernel(const int* levels, int* out, Image image, int radius) {
  __shared__ int histograms[lab::kLevels][kThreads];
  const int me = threadIdx.y * kBlock + threadIdx.x;
  for (int level = 0; level < lab::kLevels; ++level) histograms[level][me] = 0;

  const int row = blockIdx.y * kBlock + threadIdx.y;
  const int col = blockIdx.x * kBlock + threadIdx.x;
  if (!image.has(row, col)) return;
  for (int y = row - radius; y <= row + radius; ++y)
    for (int x = col - radius; x <= col + radius; ++x)
      if (image.has(y, x)) ++histograms[levels[y * image.width + x]][me];

  int best = 0;
  for (int level = 1; level < lab::kLevels; ++level)
    if (histograms[level][me] > histograms[best][me]) best = level;
  out[row * image.width + col] = best;
}

dim3 grid_for(int width, int height, int rows = kBlock) {
  return dim3(lab::ceil_div(width, kBlock), lab::ceil_div(height, rows));
}
const dim3 block(kBlock, kBlock);

void set_weights(const float* h_weights, int radius) {
  CUDA_CHECK(cudaMemcpyToSymbol(weights, h_weights, (2 * radius + 1) * (2 * radius + 1) * sizeof(float)));
}

void blur(const float* d_in, float* d_out, int width, int height, int radius) {
  blur_kernel<<<grid_for(width, height), block, tile_bytes(kBlock, radius)>>>(d_in, d_out,
                                                                              Image{width, height}, radius);
  CUDA_CHECK(cudaGetLastError());
}

void convolve_constant(const float* d_in, const float* h_weights, float* d_out, int width, int height,
                       int radius) {
  set_weights(h_weights, radius);
  convolve_constant_kernel<<<grid_for(width, height), block>>>(d_in, d_out, Image{width, height}, radius);
  CUDA_CHECK(cudaGetLastError());
}

void convolve_tiled(const float* d_in, const float* h_weights, float* d_out, int width, int height,
                    int radius) {
  set_weights(h_weights, radius);
  const int rows = kPerThread * kBlock;
  convolve_tiled_kernel<<<grid_for(width, height, rows), block, tile_bytes(rows, radius)>>>(
      d_in, d_out, Image{width, height}, radius);
  CUDA_CHECK(cudaGetLastError());
}

void count_bright(const float* d_image, int width, int height, float threshold, bool restart, int* h_count) {
  if (restart) restart_kernel<<<1, 1>>>();
  count_kernel<<<lab::ceil_div(width * height, kThreads), kThreads>>>(d_image, width * height, threshold);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpyFromSymbol(h_count, bright, sizeof(*h_count), 0, cudaMemcpyDeviceToHost));
}

void most_frequent(const int* d_levels, int* d_out, int width, int height, int radius) {
  most_frequent_kernel<<<grid_for(width, height), block>>>(d_levels, d_out, Image{width, height}, radius);
  CUDA_CHECK(cudaGetLastError());
}
