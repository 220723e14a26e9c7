// Idea: tiles are filled by asynchronous copies (cuda_pipeline.h), __managed__ count, warp-level histograms.

#include <cuda_pipeline.h>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/memory_types.hpp"

namespace {

constexpr int kSide = 32, kHeight = 8, kPitch = kSide + 2 * lab::kMaxRadius;
__constant__ float weights[(2 * lab::kMaxRadius + 1) * (2 * lab::kMaxRadius + 1)];
__managed__ int bright_pixels;

// Copies the pixels around this block's kSide × kSide pixels into shared memory, 0 where there are none.
__device__ void fill(float (*tile)[kPitch], const float* in, int width, int height, int radius) {
  for (int ty = threadIdx.y; ty < kSide + 2 * radius; ty += kHeight)
    for (int tx = threadIdx.x; tx < kSide + 2 * radius; tx += kSide) {
      const int y = static_cast<int>(blockIdx.y) * kSide + ty - radius;
      const int x = static_cast<int>(blockIdx.x) * kSide + tx - radius;
      if (0 <= y && y < height && 0 <= x && x < width)
        __pipeline_memcpy_async(&tile[ty][tx], &in[y * width + x], sizeof(float));
      else
        tile[ty][tx] = 0.0f;
    }
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
}

__global__ void blur_kernel(const float* in, float* out, int width, int height, int radius) {
  __shared__ float tile[kPitch][kPitch];
  fill(tile, in, width, height, radius);
  const int col = blockIdx.x * kSide + threadIdx.x;
  for (int r = threadIdx.y; r < kSide; r += kHeight) {
    const int row = blockIdx.y * kSide + r;
    if (row >= height || col >= width) continue;
    float sum = 0.0f;
    for (int dy = 0; dy <= 2 * radius; ++dy)
      for (int dx = 0; dx <= 2 * radius; ++dx) sum += tile[r + dy][threadIdx.x + dx];
    const int rows = min(height - 1, row + radius) - max(0, row - radius) + 1;
    const int cols = min(width - 1, col + radius) - max(0, col - radius) + 1;
    out[row * width + col] = sum / (rows * cols);
  }
}

__global__ void convolve_constant_kernel(const float* __restrict__ in, float* __restrict__ out, int width,
                                         int height, int radius) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= height || col >= width) return;
  float sum = 0.0f;
  const float* weight = weights;
  for (int y = row - radius; y <= row + radius; ++y)
    for (int x = col - radius; x <= col + radius; ++x, ++weight)
      if (y >= 0 && y < height && x >= 0 && x < width) sum = fmaf(*weight, in[y * width + x], sum);
  out[row * width + col] = sum;
}

__global__ void convolve_tiled_kernel(const float* in, float* out, int width, int height, int radius) {
  __shared__ float tile[kPitch][kPitch];
  fill(tile, in, width, height, radius);
  const int window = 2 * radius + 1;
  float sums[kSide / kHeight] = {};
  for (int dy = 0; dy < window; ++dy)
    for (int dx = 0; dx < window; ++dx) {
      const float weight = weights[dy * window + dx];
#pragma unroll
      for (int s = 0; s < kSide / kHeight; ++s)
        sums[s] += weight * tile[threadIdx.y + s * kHeight + dy][threadIdx.x + dx];
    }
  const int col = blockIdx.x * kSide + threadIdx.x;
#pragma unroll
  for (int s = 0; s < kSide / kHeight; ++s) {
    const int row = blockIdx.y * kSide + threadIdx.y + s * kHeight;
    if (row < height && col < width) out[row * width + col] = sums[s];
  }
}

__global__ void count_kernel(const float* image, int pixels, float threshold) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned votes = __ballot_sync(~0u, i < pixels && image[i] > threshold);
  __shared__ int in_block;
  if (threadIdx.x == 0) in_block = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) atomicAdd_block(&in_block, __popc(votes));
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(&bright_pixels, in_block);
}

template <int kLevel>
__device__ void best_of(const int (&histogram)[lab::kLevels], int& best, int& most) {
  if constexpr (kLevel < lab::kLevels) {
    if (histogram[kLevel] > most) best = kLevel, most = histogram[kLevel];
    best_of<kLevel + 1>(histogram, best, most);
  }
}

__global__ void most_frequent_kernel(const int* levels, int* out, int width, int height, int radius) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= height || col >= width) return;
  int histogram[lab::kLevels] = {};
  for (int y = max(row - radius, 0); y < min(row + radius + 1, height); ++y)
    for (int x = max(col - radius, 0); x < min(col + radius + 1, width); ++x) switch (levels[y * width + x]) {
        case 0:
          ++histogram[0];
          break;
        case 1:
          ++histogram[1];
          break;
        case 2:
          ++histogram[2];
          break;
        case 3:
          ++histogram[3];
          break;
        case 4:
          ++histogram[4];
          break;
        case 5:
          ++histogram[5];
          break;
        case 6:
          ++histogram[6];
          break;
        default:
          ++histogram[7];
      }
  int best = 0, most = -1;
  best_of<0>(histogram, best, most);
  out[row * width + col] = best;
}

dim3 squares(int width, int height) { return {(width + kSide - 1u) / kSide, (height + kSide - 1u) / kSide}; }
dim3 grid(int width, int height) { return {(width + 31u) / 32u, (height + 7u) / 8u}; }
const dim3 kBlock(kSide, kHeight);

void copy_weights(const float* h_weights, int radius) {
  CUDA_CHECK(cudaMemcpyToSymbol(weights, h_weights, (2 * radius + 1) * (2 * radius + 1) * sizeof *h_weights));
}

}  // namespace

void blur(const float* d_in, float* d_out, int width, int height, int radius) {
  blur_kernel<<<squares(width, height), kBlock>>>(d_in, d_out, width, height, radius);
  CUDA_CHECK(cudaGetLastError());
}

void convolve_constant(const float* d_in, const float* h_weights, float* d_out, int width, int height,
                       int radius) {
  copy_weights(h_weights, radius);
  convolve_constant_kernel<<<grid(width, height), kBlock>>>(d_in, d_out, width, height, radius);
  CUDA_CHECK(cudaGetLastError());
}

void convolve_tiled(const float* d_in, const float* h_weights, float* d_out, int width, int height,
                    int radius) {
  copy_weights(h_weights, radius);
  convolve_tiled_kernel<<<squares(width, height), kBlock>>>(d_in, d_out, width, height, radius);
  CUDA_CHECK(cudaGetLastError());
}

void count_bright(const float* d_image, int width, int height, float threshold, bool restart, int* h_count) {
  if (restart) bright_pixels = 0;  // no kernel is running
  count_kernel<<<lab::ceil_div(width * height, 256), 256>>>(d_image, width * height, threshold);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  *h_count = bright_pixels;
}

void most_frequent(const int* d_levels, int* d_out, int width, int height, int radius) {
  most_frequent_kernel<<<grid(width, height), kBlock>>>(d_levels, d_out, width, height, radius);
  CUDA_CHECK(cudaGetLastError());
}
