// Step 2: the next tile is copied while this one is computed.
//
// The bound of this convolution has two parts that are nearly equal: 8 bytes and 81 FFMA per pixel. A block
// that first loads and then computes uses one part of the GPU at a time, and all blocks of the first wave
// load at the same time. Here as many blocks as fit take tile after tile, with two tiles in shared memory:
// asynchronous copies of 16 bytes fill one, while the FFMA read the other. The copies also write the zeros
// outside the image.
// Counters: smsp__average_warps_issue_stalled_long_scoreboard and _barrier fall; sm__inst_executed_pipe_fma
// and dram__throughput rise together.

#include <cuda_pipeline.h>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/memory_types.hpp"

namespace {

constexpr int kWarp = 32;
constexpr int kBlocksPerSm = 4;
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
  static constexpr int kFloats = kRows * kRow;
};

template <int kRadius>
struct Weights {
  float of[Window<kRadius>::kSize][Window<kRadius>::kSize];
};

// A tile of the image. Tiles are numbered along rows of tiles.
struct Place {
  int first_row, first_col;
  __device__ Place(int tile, int tiles_per_row)
      : first_row(tile / tiles_per_row * kTileHeight), first_col(tile % tiles_per_row * kTileWidth) {}
};

// Starts the copies of a tile, kVector floats each. Pixels outside the image are 0 and add nothing. If
// kInside, the tile has none, and the copies need no guards.
template <int kRadius, int kVector, bool kInside>
__device__ void copy_tile(float* tile, const float* in, int top, int left, int width, int height) {
  using W = Window<kRadius>;
  constexpr size_t kBytes = kVector * sizeof(float);
#pragma unroll
  for (int first_y = 0; first_y < W::kRows; first_y += kWarps) {
    const int y = first_y + threadIdx.x / kWarp;
    if (y >= W::kRows) continue;
#pragma unroll
    for (int first_x = 0; first_x < W::kRow; first_x += kWarp * kVector) {
      const int x = first_x + threadIdx.x % kWarp * kVector;
      if (x >= W::kRow) continue;
      const int row = top + y;
      const int col = left + x;
      const bool exists = kInside || (row >= 0 && row < height && col >= 0 && col < width);
      const float* from = exists ? in + row * width + col : in;
      __pipeline_memcpy_async(tile + y * W::kRow + x, from, kBytes, exists ? 0 : kBytes);
    }
  }
}

template <int kRadius, int kVector>
__device__ void start_copies(float* tile, const float* in, Place place, int width, int height) {
  using W = Window<kRadius>;
  const int top = place.first_row - kRadius;
  const int left = place.first_col - W::kMargin;
  if (top >= 0 && top + W::kRows <= height && left >= 0 && left + W::kRow <= width)
    copy_tile<kRadius, kVector, true>(tile, in, top, left, width, height);
  else
    copy_tile<kRadius, kVector, false>(tile, in, top, left, width, height);
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

template <int kVector>
__device__ void store(const float (&sums)[kPixels][kPixels], float* out, int row, int col, int width,
                      int height) {
#pragma unroll
  for (int r = 0; r < kPixels; ++r) {
    if (row + r >= height || col >= width) continue;
    float* to = out + (row + r) * width + col;
    if (kVector == 4) {
      *reinterpret_cast<float4*>(to) = {sums[r][0], sums[r][1], sums[r][2], sums[r][3]};
    } else {
#pragma unroll
      for (int c = 0; c < kPixels; ++c)
        if (col + c < width) to[c] = sums[r][c];
    }
  }
}

template <int kRadius, int kVector>
__global__ void __launch_bounds__(kWarps* kWarp, kBlocksPerSm)
    convolve_kernel(const float* in, Weights<kRadius> weights, float* out, int width, int height) {
  using W = Window<kRadius>;
  extern __shared__ float4 aligned_tiles[];
  float* tiles = reinterpret_cast<float*>(aligned_tiles);  // two
  const int per_row = lab::ceil_div(width, kTileWidth);
  const int count = per_row * lab::ceil_div(height, kTileHeight);
  const int row = threadIdx.x / kWarp * kPixels;  // of the thread's first pixel, in the tile
  const int col = threadIdx.x % kWarp * kPixels;

  int tile = blockIdx.x;
  start_copies<kRadius, kVector>(tiles, in, Place(tile, per_row), width, height);
  __pipeline_commit();
  for (int current = 0; tile < count; current = 1 - current) {
    const int next = tile + gridDim.x;
    if (next < count)
      start_copies<kRadius, kVector>(tiles + (1 - current) * W::kFloats, in, Place(next, per_row), width,
                                     height);
    __pipeline_commit();       // also without copies, so that the next line means the current tile
    __pipeline_wait_prior(1);  // this thread's copies of the current tile are complete,
    __syncthreads();           // and everyone's

    float sums[kPixels][kPixels] = {};
    convolve<kRadius>(sums, tiles + current * W::kFloats + row * W::kRow + col, weights);
    const Place place(tile, per_row);
    store<kVector>(sums, out, place.first_row + row, place.first_col + col, width, height);
    __syncthreads();  // no thread reads the current tile any more: it may be overwritten
    tile = next;
  }
}

template <int kRadius, int kVector>
void launch_kernel(const float* d_in, const Weights<kRadius>& weights, float* d_out, int width, int height) {
  const auto kernel = convolve_kernel<kRadius, kVector>;
  constexpr int kSharedBytes = 2 * Window<kRadius>::kFloats * static_cast<int>(sizeof(float));
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes));
  int device = 0;
  int sms = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  const int tiles = lab::ceil_div(width, kTileWidth) * lab::ceil_div(height, kTileHeight);
  kernel<<<min(tiles, sms * kBlocksPerSm), kWarps * kWarp, kSharedBytes>>>(d_in, weights, d_out, width,
                                                                           height);
  CUDA_CHECK(cudaGetLastError());
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
  if (width % 4 == 0)  // every row begins at a multiple of 16 bytes
    launch_kernel<kRadius, 4>(d_in, weights, d_out, width, height);
  else
    launch_kernel<kRadius, 1>(d_in, weights, d_out, width, height);
}

}  // namespace

void convolve_tiled(const float* d_in, const float* h_weights, float* d_out, int width, int height,
                    int radius) {
  launch(d_in, h_weights, d_out, width, height, radius);
}
