// Step 1: a window of pixels in registers, with a radius and weights that the compiler can use directly.
//
// A 9 × 9 window needs 81 FFMA per pixel, and a scheduler issues one instruction per clock. The taught loop
// loads a pixel for every FFMA, and counts. Here a thread computes 4 × 4 pixels: a row of its window, 12
// floats in 3 loads, serves up to 144 FFMA. The radius is a template argument, so that all loops unroll.
// The weights are an argument of the kernel, which is in constant memory: no copy precedes the launch.
// Counters: sm__inst_executed_pipe_fma against smsp__issue_active; smsp__inst_executed per pixel.

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/memory_types.hpp"

namespace {

constexpr int kWarp = 32;
constexpr int kWarps = 8;   // per block, one below the other
constexpr int kPixels = 4;  // of a thread, along each side
constexpr int kTileWidth = kWarp * kPixels;
constexpr int kTileHeight = kWarps * kPixels;

template <int kRadius>
struct Window {
  static constexpr int kSize = 2 * kRadius + 1;
  static constexpr int kMargin = (kRadius + 3) / 4 * 4;  // left and right: keeps loads of 16 bytes aligned
  static constexpr int kRow = kTileWidth + 2 * kMargin;  // floats per row of the tile
  static constexpr int kRows = kTileHeight + 2 * kRadius;
};

template <int kRadius>
struct Weights {
  float of[Window<kRadius>::kSize][Window<kRadius>::kSize];
};

// Pixels outside the image are 0 and add nothing.
template <int kRadius>
__device__ void fill(float* tile, const float* in, int first_row, int first_col, int width, int height) {
  using W = Window<kRadius>;
  for (int y = threadIdx.x / kWarp; y < W::kRows; y += kWarps) {
    const int row = first_row - kRadius + y;
    for (int x = threadIdx.x % kWarp; x < W::kRow; x += kWarp) {
      const int col = first_col - W::kMargin + x;
      const bool exists = row >= 0 && row < height && col >= 0 && col < width;
      tile[y * W::kRow + x] = exists ? in[row * width + col] : 0.0f;
    }
  }
}

// `pixels` is the thread's first row of the tile, `margin` columns left of its first pixel.
template <int kRadius>
__device__ void convolve(float (&sums)[kPixels][kPixels], const float* pixels,
                         const Weights<kRadius>& weights) {
  using W = Window<kRadius>;
#pragma unroll
  for (int y = 0; y < kPixels + 2 * kRadius; ++y) {
    float row[kPixels + 2 * W::kMargin];
#pragma unroll
    for (int x = 0; x < kPixels + 2 * W::kMargin; x += 4) {
      const float4 four = *reinterpret_cast<const float4*>(pixels + y * W::kRow + x);
      row[x] = four.x, row[x + 1] = four.y, row[x + 2] = four.z, row[x + 3] = four.w;
    }
#pragma unroll
    for (int r = 0; r < kPixels; ++r) {
      const int dy = y - r;  // the row of the window that this row is for pixel row r
      if (dy < 0 || dy >= W::kSize) continue;
#pragma unroll
      for (int dx = 0; dx < W::kSize; ++dx)
#pragma unroll
        for (int c = 0; c < kPixels; ++c)
          sums[r][c] += weights.of[dy][dx] * row[c + dx + W::kMargin - kRadius];
    }
  }
}

template <int kRadius>
__global__ void __launch_bounds__(kWarps* kWarp)
    convolve_kernel(const float* in, Weights<kRadius> weights, float* out, int width, int height) {
  using W = Window<kRadius>;
  __shared__ float4 aligned_tile[W::kRows * W::kRow / 4];
  float* tile = reinterpret_cast<float*>(aligned_tile);
  const int first_row = blockIdx.y * kTileHeight;
  const int first_col = blockIdx.x * kTileWidth;
  fill<kRadius>(tile, in, first_row, first_col, width, height);
  __syncthreads();  // the tile is complete

  const int row = threadIdx.x / kWarp * kPixels;  // of the thread's first pixel, in the tile
  const int col = threadIdx.x % kWarp * kPixels;
  float sums[kPixels][kPixels] = {};
  convolve<kRadius>(sums, tile + row * W::kRow + col, weights);
#pragma unroll
  for (int r = 0; r < kPixels; ++r)
#pragma unroll
    for (int c = 0; c < kPixels; ++c)
      if (first_row + row + r < height && first_col + col + c < width)
        out[(first_row + row + r) * width + first_col + col + c] = sums[r][c];
}

// Finds the kernel for a radius that is known at run time.
template <int kRadius = lab::kMaxRadius>
void launch(const float* d_in, const float* h_weights, float* d_out, int width, int height, int radius) {
  if constexpr (kRadius > 0) {
    if (radius < kRadius) return launch<kRadius - 1>(d_in, h_weights, d_out, width, height, radius);
  }
  Weights<kRadius> weights;
  constexpr int kSize = Window<kRadius>::kSize;
  for (int i = 0; i < kSize * kSize; ++i) weights.of[i / kSize][i % kSize] = h_weights[i];
  const dim3 grid(lab::ceil_div(width, kTileWidth), lab::ceil_div(height, kTileHeight));
  convolve_kernel<kRadius><<<grid, kWarps * kWarp>>>(d_in, weights, d_out, width, height);
  CUDA_CHECK(cudaGetLastError());
}

}  // namespace

void convolve_tiled(const float* d_in, const float* h_weights, float* d_out, int width, int height,
                    int radius) {
  launch(d_in, h_weights, d_out, width, height, radius);
}
