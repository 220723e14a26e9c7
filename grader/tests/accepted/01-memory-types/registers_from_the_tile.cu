// Idea: convolve_tiled computes 8 x 8 pixels a thread, with rows of the window in registers.

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/memory_types.hpp"

constexpr int kBlockWidth = 32;  // a row of threads is a warp, which reads 32 neighbouring pixels
constexpr int kBlockHeight = 8;

dim3 block_size() { return dim3(kBlockWidth, kBlockHeight); }
dim3 grid_size(int width, int height) {
  return dim3(lab::ceil_div(width, kBlockWidth), lab::ceil_div(height, kBlockHeight));
}

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

constexpr int kMaxWindow = 2 * lab::kMaxRadius + 1;

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

constexpr int kRowsPerThread = 4;
constexpr int kBlockRows = kRowsPerThread * kBlockHeight;  // rows of pixels: a block computes 32 × 32

constexpr int kTileWidth = kBlockWidth + 2 * lab::kMaxRadius;
constexpr int kTileHeight = kBlockRows + 2 * lab::kMaxRadius;

template <int R>
__global__ void convolve_tiled_kernel(const float* in, float* out, int width, int height) {
  constexpr int S = 64 + 2 * R;
  __shared__ float t[S][S + 1];
  const int c0 = blockIdx.x * 64, r0 = blockIdx.y * 64, tx = threadIdx.x, ty = threadIdx.y;
  for (int e = ty * 8 + tx; e < S * S; e += 64) {
    const int y = r0 - R + e / S, x = c0 - R + e % S;
    t[e / S][e % S] = y >= 0 && y < height && x >= 0 && x < width ? in[y * width + x] : 0.0f;
  }
  __syncthreads();
  float s[8][8] = {};
  for (int y = 0; y < 8 + 2 * R; ++y) {
    float v[8 + 2 * R];
#pragma unroll
    for (int x = 0; x < 8 + 2 * R; ++x) v[x] = t[ty * 8 + y][tx * 8 + x];
#pragma unroll
    for (int o = 0; o < 8; ++o) {
      const int dy = y - o;
      if (dy >= 0 && dy <= 2 * R)
#pragma unroll
        for (int dx = 0; dx <= 2 * R; ++dx) {
          const float w = c_weights[dy * (2 * R + 1) + dx];
#pragma unroll
          for (int x = 0; x < 8; ++x) s[o][x] += w * v[x + dx];
        }
    }
  }
#pragma unroll
  for (int o = 0; o < 8; ++o)
#pragma unroll
    for (int x = 0; x < 8; ++x) {
      const int r = r0 + ty * 8 + o, c = c0 + tx * 8 + x;
      if (r < height && c < width) out[r * width + c] = s[o][x];
    }
}
void convolve_tiled(const float* d_in, const float* h_weights, float* d_out, int width, int height,
                    int radius) {
  copy_weights(h_weights, radius);
  using K = void (*)(const float*, float*, int, int);
  static const K k[] = {convolve_tiled_kernel<0>, convolve_tiled_kernel<1>, convolve_tiled_kernel<2>,
                        convolve_tiled_kernel<3>, convolve_tiled_kernel<4>, convolve_tiled_kernel<5>,
                        convolve_tiled_kernel<6>, convolve_tiled_kernel<7>, convolve_tiled_kernel<8>};
  k[radius]<<<dim3(lab::ceil_div(width, 64), lab::ceil_div(height, 64)), dim3(8, 8)>>>(d_in, d_out, width,
                                                                                       height);
  CUDA_CHECK(cudaGetLastError());
}

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
  CUDA_CHECK(cudaMemcpyFromSymbol(h_count, bright_count, sizeof(int)));
}
