// Step 3: copies without branches.
//
// Step 2 executes 105 instructions per pixel, 81 of them FFMA. Most of the others prepare copies. A number of
// zero bytes that is known at run time turns each copy into branches. If only a part of a warp copies, the
// assembler adds three loads from shared memory. And to copy a row of 136 floats, a warp issues a second copy
// for its last 8. Here a thread either copies or stores zeros, tiles inside the image are copied without
// checks, and the last columns of all rows are copied together. The barrier moves from the end of the
// arithmetic to the place before the copies, so that a tile needs one barrier.
// Counters: smsp__inst_executed per pixel; smsp__issue_active against sm__inst_executed_pipe_fma.

#include <cuda_pipeline.h>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/memory_types.hpp"

namespace {

constexpr int kWarp = 32;
constexpr int kBlocksPerSm = 4;
constexpr int kWarps = 8;   // per block, one below the other
constexpr int kPixels = 4;  // of a thread, along each side
constexpr int kThreads = kWarps * kWarp;
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

struct Image {
  const float* in;
  float* out;
  int width, height;
};

// The first pixel of a tile. Tiles are numbered along rows of tiles, so that blocks work on neighbouring
// ones.
struct Place {
  int row = 0, col = 0;
  __device__ Place(int tile, int width) { advance(tile, width); }
  __device__ void advance(int tiles, int width) {
    const int per_row = lab::ceil_div(width, kTileWidth);
    row += tiles / per_row * kTileHeight;
    col += tiles % per_row * kTileWidth;
    if (col >= per_row * kTileWidth) row += kTileHeight, col -= per_row * kTileWidth;
  }
};

// Copies kVector floats. Pixels outside the image are 0 and add nothing; if kInside, there are none.
template <int kVector, bool kInside>
__device__ void copy_piece(float* to, const Image& image, int row, int col) {
  if (kInside || (row >= 0 && row < image.height && col >= 0 && col < image.width)) {
    __pipeline_memcpy_async(to, image.in + row * image.width + col, kVector * sizeof(float));
  } else {
#pragma unroll
    for (int i = 0; i < kVector; ++i) to[i] = 0;
  }
}

// Starts the copies of a tile: first kTileWidth columns, a row per warp, then the others of all rows.
template <int kRadius, int kVector, bool kInside>
__device__ void copy_tile(float* tile, const Image& image, int top, int left) {
  using W = Window<kRadius>;
  const int warp = threadIdx.x / kWarp;
  const int lane = threadIdx.x % kWarp;
#pragma unroll
  for (int first_y = 0; first_y < W::kRows; first_y += kWarps) {
    const int y = first_y + warp;
    if (W::kRows % kWarps != 0 && y >= W::kRows) break;
#pragma unroll
    for (int first_x = 0; first_x < kTileWidth; first_x += kWarp * kVector) {
      const int x = first_x + lane * kVector;
      copy_piece<kVector, kInside>(tile + y * W::kRow + x, image, top + y, left + x);
    }
  }
  constexpr int kPieces = 2 * W::kMargin / kVector;  // of a row that are left
  if constexpr (kPieces > 0) {
#pragma unroll
    for (int first = 0; first < W::kRows * kPieces; first += kThreads) {
      const int piece = first + threadIdx.x;
      if (first + kThreads > W::kRows * kPieces && piece >= W::kRows * kPieces) break;
      const int y = piece / kPieces;
      const int x = kTileWidth + piece % kPieces * kVector;
      copy_piece<kVector, kInside>(tile + y * W::kRow + x, image, top + y, left + x);
    }
  }
}

template <int kRadius, int kVector>
__device__ void start_copies(float* tile, const Image& image, Place place) {
  using W = Window<kRadius>;
  const int top = place.row - kRadius;
  const int left = place.col - W::kMargin;
  if (top >= 0 && top + W::kRows <= image.height && left >= 0 && left + W::kRow <= image.width)
    copy_tile<kRadius, kVector, true>(tile, image, top, left);
  else
    copy_tile<kRadius, kVector, false>(tile, image, top, left);
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
__device__ void store(const float (&sums)[kPixels][kPixels], const Image& image, int row, int col) {
#pragma unroll
  for (int r = 0; r < kPixels; ++r) {
    if (row + r >= image.height || col >= image.width) continue;
    float* to = image.out + (row + r) * image.width + col;
    if (kVector == 4) {
      *reinterpret_cast<float4*>(to) = {sums[r][0], sums[r][1], sums[r][2], sums[r][3]};
    } else {
#pragma unroll
      for (int c = 0; c < kPixels; ++c)
        if (col + c < image.width) to[c] = sums[r][c];
    }
  }
}

template <int kRadius, int kVector>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    convolve_kernel(Image image, Weights<kRadius> weights, int tiles) {
  using W = Window<kRadius>;
  extern __shared__ float4 aligned_tiles[];
  float* const two_tiles = reinterpret_cast<float*>(aligned_tiles);
  const int row = threadIdx.x / kWarp * kPixels;  // of the thread's first pixel, in the tile
  const int col = threadIdx.x % kWarp * kPixels;

  Place place(blockIdx.x, image.width);
  start_copies<kRadius, kVector>(two_tiles, image, place);
  int current = 0;
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    __pipeline_commit();
    __pipeline_wait_prior(0);  // this thread's copies of the tile are complete,
    __syncthreads();           // and everyone's; no thread reads the other tile any more
    Place next = place;
    next.advance(gridDim.x, image.width);
    if (tile + gridDim.x < tiles)
      start_copies<kRadius, kVector>(two_tiles + (W::kFloats - current), image, next);

    float sums[kPixels][kPixels] = {};
    convolve<kRadius>(sums, two_tiles + current + row * W::kRow + col, weights);
    store<kVector>(sums, image, place.row + row, place.col + col);
    place = next;
    current = W::kFloats - current;
  }
}

template <int kRadius, int kVector>
void launch_kernel(const Image& image, const Weights<kRadius>& weights) {
  const auto kernel = convolve_kernel<kRadius, kVector>;
  constexpr int kSharedBytes = 2 * Window<kRadius>::kFloats * static_cast<int>(sizeof(float));
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes));
  int device = 0;
  int sms = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  const int tiles = lab::ceil_div(image.width, kTileWidth) * lab::ceil_div(image.height, kTileHeight);
  kernel<<<min(tiles, sms * kBlocksPerSm), kThreads, kSharedBytes>>>(image, weights, tiles);
  CUDA_CHECK(cudaGetLastError());
}

// Finds the kernel for a radius that is known at run time.
template <int kRadius = lab::kMaxRadius>
void launch(const Image& image, const float* h_weights, int radius) {
  if constexpr (kRadius > 0) {
    if (radius < kRadius) return launch<kRadius - 1>(image, h_weights, radius);
  }
  Weights<kRadius> weights;
  constexpr int kSize = Window<kRadius>::kSize;
  for (int i = 0; i < kSize * kSize; ++i) weights.of[i / kSize][i % kSize] = h_weights[i];
  if (image.width % 4 == 0)  // every row begins at a multiple of 16 bytes
    launch_kernel<kRadius, 4>(image, weights);
  else
    launch_kernel<kRadius, 1>(image, weights);
}

}  // namespace

void convolve_tiled(const float* d_in, const float* h_weights, float* d_out, int width, int height,
                    int radius) {
  launch({d_in, d_out, width, height}, h_weights, radius);
}
