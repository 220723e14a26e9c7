// Mistake: one byte of the count is copied back.

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/memory_types.hpp"

constexpr int kBlockWidth = 32;  // a row of threads is a warp, which reads 32 neighbouring pixels
constexpr int kBlockHeight = 8;

dim3 block_size() { return dim3(kBlockWidth, kBlockHeight); }
dim3 grid_size(int width, int height) {
  return dim3(lab::ceil_div(width, kBlockWidth), lab::ceil_div(height, kBlockHeight));
}

// ---- A. The sum in a register ----

__global__ void blur_kernel(const float* in, float* out, int width, int height, int radius) {
  const int col = blockIdx.x * kBlockWidth + threadIdx.x;
  const int row = blockIdx.y * kBlockHeight + threadIdx.y;
  if (row >= height || col >= width) return;

  // Automatic variables: the compiler keeps them in registers. Written as out[…] += …, each term would load
  // and store the output in global memory, because the compiler must assume that `in` and `out` overlap.
  float sum = 0.0f;
  int pixels = 0;
  for (int y = row - radius; y <= row + radius; ++y) {
    for (int x = col - radius; x <= col + radius; ++x) {
      if (y >= 0 && y < height && x >= 0 && x < width) {
        sum += in[y * width + x];
        ++pixels;
      }
    }
  }
  out[row * width + col] = sum / pixels;  // the only store; pixels ≥ 1: the thread's own pixel exists
}

void blur(const float* d_in, float* d_out, int width, int height, int radius) {
  blur_kernel<<<grid_size(width, height), block_size()>>>(d_in, d_out, width, height, radius);
  CUDA_CHECK(cudaGetLastError());
}

// ---- B. Weights in constant memory ----

constexpr int kMaxWindow = 2 * lab::kMaxRadius + 1;

// All threads of a warp read the same weight at the same time: one access to the constant cache serves all.
__constant__ float c_weights[kMaxWindow * kMaxWindow];

void copy_weights(const float* h_weights, int radius) {
  const int window = 2 * radius + 1;
  CUDA_CHECK(cudaMemcpyToSymbol(c_weights, h_weights, window * window * sizeof(float)));  // bytes
}

__global__ void convolve_constant_kernel(const float* in, float* out, int width, int height, int radius) {
  const int col = blockIdx.x * kBlockWidth + threadIdx.x;
  const int row = blockIdx.y * kBlockHeight + threadIdx.y;
  if (row >= height || col >= width) return;

  const int window = 2 * radius + 1;
  float sum = 0.0f;
  for (int dy = 0; dy < window; ++dy) {
    const int y = row + dy - radius;
    if (y < 0 || y >= height) continue;
    for (int dx = 0; dx < window; ++dx) {
      const int x = col + dx - radius;
      if (x >= 0 && x < width) sum += c_weights[dy * window + dx] * in[y * width + x];
    }
  }
  out[row * width + col] = sum;
}

void convolve_constant(const float* d_in, const float* h_weights, float* d_out, int width, int height,
                       int radius) {
  copy_weights(h_weights, radius);
  convolve_constant_kernel<<<grid_size(width, height), block_size()>>>(d_in, d_out, width, height, radius);
  CUDA_CHECK(cudaGetLastError());
}

// ---- C. A tile with its halo in shared memory ----

// A thread computes this many pixels of a column, kBlockHeight rows apart. Each weight that it reads and each
// iteration of the loops, then serves as many products.
constexpr int kRowsPerThread = 4;
constexpr int kBlockRows = kRowsPerThread * kBlockHeight;  // rows of pixels: a block computes 32 × 32

// Large enough for the largest radius. Rows of threads are warps, so a warp's 32 lanes read 32 banks.
constexpr int kTileWidth = kBlockWidth + 2 * lab::kMaxRadius;
constexpr int kTileHeight = kBlockRows + 2 * lab::kMaxRadius;

__global__ void convolve_tiled_kernel(const float* in, float* out, int width, int height, int radius) {
  __shared__ float tile[kTileHeight][kTileWidth];

  // The tile's first pixel is `radius` pixels above and left of the block's first pixel.
  const int first_col = blockIdx.x * kBlockWidth - radius;
  const int first_row = blockIdx.y * kBlockRows - radius;
  for (int ty = threadIdx.y; ty < kBlockRows + 2 * radius; ty += kBlockHeight) {
    for (int tx = threadIdx.x; tx < kBlockWidth + 2 * radius; tx += kBlockWidth) {
      const int y = first_row + ty;
      const int x = first_col + tx;
      const bool exists = y >= 0 && y < height && x >= 0 && x < width;
      tile[ty][tx] = exists ? in[y * width + x] : 0.0f;  // 0 adds nothing to any sum
    }
  }
  __syncthreads();  // the tile is complete before any thread reads another thread's elements

  const int window = 2 * radius + 1;
  float sums[kRowsPerThread] = {};  // registers: every index is a constant once the loops over r are unrolled
  for (int dy = 0; dy < window; ++dy) {
    const float* weights = &c_weights[dy * window];  // addresses that do not change along a row
    const float* pixels = &tile[threadIdx.y + dy][threadIdx.x];
    for (int dx = 0; dx < window; ++dx) {
      const float weight = weights[dx];
#pragma unroll
      for (int r = 0; r < kRowsPerThread; ++r) sums[r] += weight * pixels[r * kBlockHeight * kTileWidth + dx];
    }
  }

  const int col = blockIdx.x * kBlockWidth + threadIdx.x;
#pragma unroll
  for (int r = 0; r < kRowsPerThread; ++r) {
    const int row = blockIdx.y * kBlockRows + r * kBlockHeight + threadIdx.y;
    if (row < height && col < width) out[row * width + col] = sums[r];  // only here may threads diverge
  }
}

void convolve_tiled(const float* d_in, const float* h_weights, float* d_out, int width, int height,
                    int radius) {
  copy_weights(h_weights, radius);
  const dim3 grid(lab::ceil_div(width, kBlockWidth), lab::ceil_div(height, kBlockRows));
  convolve_tiled_kernel<<<grid, block_size()>>>(d_in, d_out, width, height, radius);
  CUDA_CHECK(cudaGetLastError());
}

// ---- D. An array for each thread ----

__global__ void most_frequent_kernel(const int* levels, int* out, int width, int height, int radius) {
  const int col = blockIdx.x * kBlockWidth + threadIdx.x;
  const int row = blockIdx.y * kBlockHeight + threadIdx.y;
  if (row >= height || col >= width) return;

  // Registers have no addresses: histogram[level] with a data-dependent level would need local memory, which
  // is in the same DRAM as global memory. Here every index is a constant once the loops are unrolled.
  int histogram[lab::kLevels] = {};
  for (int y = max(row - radius, 0); y <= min(row + radius, height - 1); ++y) {
    for (int x = max(col - radius, 0); x <= min(col + radius, width - 1); ++x) {
      const int level = levels[y * width + x];
#pragma unroll
      for (int i = 0; i < lab::kLevels; ++i) histogram[i] += level == i;
    }
  }

  int best = 0;
  int best_count = histogram[0];  // not histogram[best]: that index is not a constant either
#pragma unroll
  for (int i = 1; i < lab::kLevels; ++i) {
    if (histogram[i] > best_count) {
      best = i;
      best_count = histogram[i];
    }
  }
  out[row * width + col] = best;
}

void most_frequent(const int* d_levels, int* d_out, int width, int height, int radius) {
  most_frequent_kernel<<<grid_size(width, height), block_size()>>>(d_levels, d_out, width, height, radius);
  CUDA_CHECK(cudaGetLastError());
}

// ---- E. Bonus: a count that outlives its kernel ----

__device__ int bright_count;  // scope: every kernel of the program; lifetime: the program

__global__ void count_kernel(const float* image, int pixels, float threshold) {
  __shared__ int block_count;  // scope and lifetime: the block
  if (threadIdx.x == 0) block_count = 0;
  __syncthreads();  // no thread adds before it is 0

  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pixels && image[i] > threshold) atomicAdd(&block_count, 1);
  __syncthreads();  // all threads have added

  if (threadIdx.x == 0) atomicAdd(&bright_count, block_count);  // one per block instead of one per pixel
}

void count_bright(const float* d_image, int width, int height, float threshold, bool restart, int* h_count) {
  const int zero = 0;
  if (restart) CUDA_CHECK(cudaMemcpyToSymbol(bright_count, &zero, sizeof(int)));

  const int block_threads = 256;
  const int pixels = width * height;
  count_kernel<<<lab::ceil_div(pixels, block_threads), block_threads>>>(d_image, pixels, threshold);
  CUDA_CHECK(cudaGetLastError());

  // Waits for the kernel. On the host, `bright_count` itself is a different variable, which is never set.
  CUDA_CHECK(cudaMemcpyFromSymbol(h_count, bright_count, 1));
}
