// Accepted: the radius is a template parameter, so the compiler unrolls the window's loops and knows the
// place of every weight; a thread computes four rows of the tiled convolution; counts of two levels share a
// word.

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/memory_types.hpp"

constexpr int kWidth = 32;  // of a block: each warp is a row
constexpr int kRows = 8;    // of threads
constexpr int kPerThread = 4;

__constant__ float c_weights[(2 * lab::kMaxRadius + 1) * (2 * lab::kMaxRadius + 1)];
__device__ unsigned int bright_total;

// ---- Blur: sums of the window's columns, then of the row of sums; the count is known without counting.

__global__ void blur_kernel(const float* __restrict__ in, float* __restrict__ out, int width, int height,
                            int radius) {
  const int col = blockIdx.x * kWidth + threadIdx.x;
  const int row = blockIdx.y * kRows + threadIdx.y;
  if (col >= width || row >= height) return;
  const int top = max(row - radius, 0), bottom = min(row + radius, height - 1);
  const int left = max(col - radius, 0), right = min(col + radius, width - 1);
  float sum = 0.0f;
  for (int x = left; x <= right; ++x) {
    float column = 0.0f;
    for (int y = top; y <= bottom; ++y) column += in[y * width + x];
    sum += column;
  }
  const float scale = 1.0f / static_cast<float>((bottom - top + 1) * (right - left + 1));
  out[row * width + col] = sum * scale;
}

// ---- Convolutions

template <int radius>
__global__ void convolve_constant_kernel(const float* in, float* out, int width, int height) {
  const int col = blockIdx.x * kWidth + threadIdx.x;
  const int row = blockIdx.y * kRows + threadIdx.y;
  if (col >= width || row >= height) return;
  float sum = 0.0f;
  for (int dy = -radius; dy <= radius; ++dy) {
    if (row + dy < 0 || row + dy >= height) continue;
#pragma unroll
    for (int dx = -radius; dx <= radius; ++dx)
      if (col + dx >= 0 && col + dx < width)
        sum += c_weights[(dy + radius) * (2 * radius + 1) + dx + radius] * in[(row + dy) * width + col + dx];
  }
  out[row * width + col] = sum;
}

template <int radius>
__global__ void convolve_tiled_kernel(const float* in, float* out, int width, int height) {
  constexpr int kTileRows = kRows * kPerThread + 2 * radius;
  constexpr int kTileWidth = kWidth + 2 * radius;
  __shared__ float tile[kTileRows][kTileWidth];
  const int first_row = blockIdx.y * kRows * kPerThread - radius;
  const int first_col = blockIdx.x * kWidth - radius;
  for (int ty = threadIdx.y; ty < kTileRows; ty += kRows)
    for (int tx = threadIdx.x; tx < kTileWidth; tx += kWidth) {
      const int row = first_row + ty, col = first_col + tx;
      float pixel = 0.0f;
      if (row >= 0 && row < height && col >= 0 && col < width) pixel = in[row * width + col];
      tile[ty][tx] = pixel;
    }
  __syncthreads();

  const int col = blockIdx.x * kWidth + threadIdx.x;
  if (col >= width) return;  // no barrier follows
  for (int i = 0; i < kPerThread; ++i) {
    const int ty = threadIdx.y + i * kRows;
    const int row = first_row + radius + ty;
    if (row >= height) return;
    float sum = 0.0f;
    for (int dy = 0; dy <= 2 * radius; ++dy)
#pragma unroll
      for (int dx = 0; dx <= 2 * radius; ++dx)
        sum += c_weights[dy * (2 * radius + 1) + dx] * tile[ty + dy][threadIdx.x + dx];
    out[row * width + col] = sum;
  }
}

dim3 grid_for(int width, int height, int rows) {
  return dim3(lab::ceil_div(width, kWidth), lab::ceil_div(height, rows));
}

template <int radius>
void launch(bool tiled, const float* d_in, float* d_out, int width, int height) {
  const dim3 block(kWidth, kRows);
  if (tiled)
    convolve_tiled_kernel<radius>
        <<<grid_for(width, height, kRows * kPerThread), block>>>(d_in, d_out, width, height);
  else
    convolve_constant_kernel<radius><<<grid_for(width, height, kRows), block>>>(d_in, d_out, width, height);
}

void convolve(bool tiled, const float* d_in, const float* h_weights, float* d_out, int width, int height,
              int radius) {
  const int window = 2 * radius + 1;
  CUDA_CHECK(cudaMemcpyToSymbol(c_weights, h_weights, sizeof(float) * window * window));
  using Launch = void (*)(bool, const float*, float*, int, int);
  const Launch launches[lab::kMaxRadius + 1] = {launch<0>, launch<1>, launch<2>, launch<3>, launch<4>,
                                                launch<5>, launch<6>, launch<7>, launch<8>};
  launches[radius](tiled, d_in, d_out, width, height);
  CUDA_CHECK(cudaGetLastError());
}

// ---- Count: a fixed number of blocks strides over the image; warps add up with shuffles.

__global__ void count_kernel(const float* image, int pixels, float threshold) {
  int mine = 0;
  const int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pixels; i += step) mine += image[i] > threshold;
  for (int offset = 16; offset > 0; offset /= 2) mine += __shfl_down_sync(0xffffffffu, mine, offset);
  if (threadIdx.x % 32 == 0 && mine > 0) atomicAdd(&bright_total, static_cast<unsigned int>(mine));
}

// ---- Most frequent level: 16 bits a level, four words for eight levels.

__global__ void most_frequent_kernel(const int* levels, int* out, int width, int height, int radius) {
  const int col = blockIdx.x * kWidth + threadIdx.x;
  const int row = blockIdx.y * kRows + threadIdx.y;
  if (col >= width || row >= height) return;
  unsigned long long low = 0, high = 0;  // levels 0 to 3 and 4 to 7
  for (int y = max(row - radius, 0); y <= min(row + radius, height - 1); ++y)
    for (int x = max(col - radius, 0); x <= min(col + radius, width - 1); ++x) {
      const int level = levels[y * width + x];
      const unsigned long long one = 1ull << (16 * (level % 4));
      low += level < 4 ? one : 0;
      high += level < 4 ? 0 : one;
    }
  int best = 0, best_count = 0;
  for (int level = 0; level < lab::kLevels; ++level) {
    const int count = static_cast<int>((level < 4 ? low : high) >> (16 * (level % 4)) & 0xffff);
    if (count > best_count) best = level, best_count = count;
  }
  out[row * width + col] = best;
}

// ---- The functions that are called

void blur(const float* d_in, float* d_out, int width, int height, int radius) {
  blur_kernel<<<grid_for(width, height, kRows), dim3(kWidth, kRows)>>>(d_in, d_out, width, height, radius);
  CUDA_CHECK(cudaGetLastError());
}

void convolve_constant(const float* d_in, const float* h_weights, float* d_out, int width, int height,
                       int radius) {
  convolve(false, d_in, h_weights, d_out, width, height, radius);
}

void convolve_tiled(const float* d_in, const float* h_weights, float* d_out, int width, int height,
                    int radius) {
  convolve(true, d_in, h_weights, d_out, width, height, radius);
}

void count_bright(const float* d_image, int width, int height, float threshold, bool restart, int* h_count) {
  if (restart) {
    void* d_total = nullptr;
    CUDA_CHECK(cudaGetSymbolAddress(&d_total, bright_total));
    CUDA_CHECK(cudaMemset(d_total, 0, sizeof(bright_total)));
  }
  const int pixels = width * height;
  count_kernel<<<min(lab::ceil_div(pixels, 256), 4), 256>>>(d_image, pixels, threshold);
  CUDA_CHECK(cudaGetLastError());
  unsigned int total = 0;
  CUDA_CHECK(cudaMemcpyFromSymbol(&total, bright_total, sizeof total));
  *h_count = static_cast<int>(total);
}

void most_frequent(const int* d_levels, int* d_out, int width, int height, int radius) {
  most_frequent_kernel<<<grid_for(width, height, kRows), dim3(kWidth, kRows)>>>(d_levels, d_out, width,
                                                                                height, radius);
  CUDA_CHECK(cudaGetLastError());
}
