// Step 4: four products for two pixels and three weights, where step 3 has six.
//
// With two pixels side by side, three weights w of a row and the four pixels d under them, step 3 computes
//   w0 d0 + w1 d1 + w2 d2   and   w0 d1 + w1 d2 + w2 d3.
// Winograd's F(2, 3) has the same results from four products, which share sums of weights and of pixels:
//   a = w0 (d0 - d2), plus = (w0 + w1 + w2) / 2 (d1 + d2), minus = (w0 - w1 + w2) / 2 (d2 - d1),
//   b = -w2 (d1 - d3);   the pixels are a + plus + minus and b + plus - minus.
// The last line is linear: the products of all rows of the window and of all groups of three weights are
// added up before it, so that a pixel needs 54 FFMA instead of 81. The host computes the sums of weights. The
// sums of pixels are 22 additions for a row of the window over four pixels, and serve all pixel rows of a
// thread, which has six. Blocks are smaller, so that five fit into a multiprocessor. Rounding errors become
// larger, 0.10 of the bound of the checks at most instead of 0.06, and remain 0 for integers of moderate
// size, since halves of them are exact. An infinite pixel makes its neighbour NaN. Counters:
// smsp__inst_executed per pixel.

#include <cuda_pipeline.h>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/memory_types.hpp"

namespace {

constexpr int kWarp = 32;
constexpr int kBlocksPerSm = 5;
constexpr int kWarps = 4;                 // per block, one below the other
constexpr int kCols = 4, kPixelRows = 6;  // of a thread
constexpr int kThreads = kWarps * kWarp;
constexpr int kTileWidth = kWarp * kCols;
constexpr int kTileHeight = kWarps * kPixelRows;

template <int kRadius>
struct Window {
  static constexpr int kSize = 2 * kRadius + 1;
  static constexpr int kMargin = (kRadius + 3) / 4 * 4;  // left and right: keeps loads of 16 bytes aligned
  static constexpr int kRow = kTileWidth + 2 * kMargin;  // floats per row of the tile
  static constexpr int kRows = kTileHeight + 2 * kRadius;
  static constexpr int kFloats = kRows * kRow;
};

// The factors of the products, in the order of the products: four per group of three weights. The last group
// of a row can have fewer weights, and then has three products for two weights, or one factor for one weight.
template <int kRadius>
struct Factors {
  static constexpr int kSize = Window<kRadius>::kSize;
  float of[kSize][(kSize + 2) / 3 * 4];

  explicit Factors(const float* weights) {
    for (int dy = 0; dy < kSize; ++dy) {
      for (int dx = 0; dx < kSize; dx += 3) {
        const float* w = weights + dy * kSize + dx;
        const float w1 = dx + 1 < kSize ? w[1] : 0, w2 = dx + 2 < kSize ? w[2] : 0;
        float* factors = &of[dy][dx / 3 * 4];
        factors[0] = w[0], factors[1] = (w[0] + w2 + w1) / 2, factors[2] = (w[0] + w2 - w1) / 2;
        factors[3] = -w2;
      }
    }
  }
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

// Sums of products for two neighbouring pixels.
struct Pair {
  float a = 0, plus = 0, minus = 0, b = 0;

  // Adds up to three weights of a row. d points to the pixel under the first weight for the left pixel.
  template <int kWeights>
  __device__ void add(const float* factors, const float* d) {
    if constexpr (kWeights == 1) {
      a += factors[0] * d[0];
      b += factors[0] * d[1];
    } else {
      a += factors[0] * (d[0] - d[2]);
      plus += factors[1] * (d[1] + d[2]);
      minus += factors[2] * (d[2] - d[1]);
      if constexpr (kWeights == 3) b += factors[3] * (d[1] - d[3]);
    }
  }
  __device__ float left() const { return a + (plus + minus); }
  __device__ float right() const { return b + (plus - minus); }
};
using Pairs = Pair[kPixelRows][kCols / 2];

// Adds a row of the window, `row`, to a row of pixels. kFirst is the first weight of a group.
template <int kRadius, int kFirst = 0>
__device__ void add_row(Pair (&pairs)[kCols / 2], const float* factors, const float* row) {
  constexpr int kLeft = Window<kRadius>::kSize - kFirst;
  if constexpr (kLeft > 0) {
#pragma unroll
    for (int c = 0; c < kCols; c += 2)
      pairs[c / 2].template add<(kLeft < 3 ? kLeft : 3)>(factors, row + c + kFirst);
    add_row<kRadius, kFirst + 3>(pairs, factors + 4, row);
  }
}

// `pixels` is the thread's first row of the tile, `margin` columns left of its first pixel.
template <int kRadius>
__device__ void convolve(Pairs& pairs, const float* pixels, const Factors<kRadius>& factors) {
  using W = Window<kRadius>;
#pragma unroll
  for (int y = 0; y < kPixelRows + 2 * kRadius; ++y) {
    float row[kCols + 2 * W::kMargin];
#pragma unroll
    for (int x = 0; x < kCols + 2 * W::kMargin; x += 4) {
      const float4 four = *reinterpret_cast<const float4*>(pixels + y * W::kRow + x);
      row[x] = four.x, row[x + 1] = four.y, row[x + 2] = four.z, row[x + 3] = four.w;
    }
#pragma unroll
    for (int r = 0; r < kPixelRows; ++r) {
      const int dy = y - r;  // the row of the window that this row is for pixel row r
      if (dy >= 0 && dy < W::kSize) add_row<kRadius>(pairs[r], factors.of[dy], row + W::kMargin - kRadius);
    }
  }
}

template <int kVector>
__device__ void store(const Pairs& pairs, const Image& image, int row, int col) {
#pragma unroll
  for (int r = 0; r < kPixelRows; ++r) {
    if (row + r >= image.height || col >= image.width) continue;
    float* to = image.out + (row + r) * image.width + col;
    const float sums[] = {pairs[r][0].left(), pairs[r][0].right(), pairs[r][1].left(), pairs[r][1].right()};
    if (kVector == 4) {
      *reinterpret_cast<float4*>(to) = {sums[0], sums[1], sums[2], sums[3]};
    } else {
#pragma unroll
      for (int c = 0; c < kCols; ++c)
        if (col + c < image.width) to[c] = sums[c];
    }
  }
}

template <int kRadius, int kVector>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    convolve_kernel(Image image, Factors<kRadius> factors, int tiles) {
  using W = Window<kRadius>;
  extern __shared__ float4 aligned_tiles[];
  float* const two_tiles = reinterpret_cast<float*>(aligned_tiles);
  const int row = threadIdx.x / kWarp * kPixelRows;  // of the thread's first pixel, in the tile
  const int col = threadIdx.x % kWarp * kCols;

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

    Pairs pairs;
    convolve<kRadius>(pairs, two_tiles + current + row * W::kRow + col, factors);
    store<kVector>(pairs, image, place.row + row, place.col + col);
    place = next;
    current = W::kFloats - current;
  }
}

template <int kRadius, int kVector>
void launch_kernel(const Image& image, const Factors<kRadius>& factors) {
  const auto kernel = convolve_kernel<kRadius, kVector>;
  constexpr int kSharedBytes = 2 * Window<kRadius>::kFloats * static_cast<int>(sizeof(float));
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes));
  int device = 0;
  int sms = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  const int tiles = lab::ceil_div(image.width, kTileWidth) * lab::ceil_div(image.height, kTileHeight);
  kernel<<<min(tiles, sms * kBlocksPerSm), kThreads, kSharedBytes>>>(image, factors, tiles);
  CUDA_CHECK(cudaGetLastError());
}

// Finds the kernel for a radius that is known at run time.
template <int kRadius = lab::kMaxRadius>
void launch(const Image& image, const float* h_weights, int radius) {
  if constexpr (kRadius > 0) {
    if (radius < kRadius) return launch<kRadius - 1>(image, h_weights, radius);
  }
  const Factors<kRadius> factors(h_weights);
  if (image.width % 4 == 0)  // every row begins at a multiple of 16 bytes
    launch_kernel<kRadius, 4>(image, factors);
  else
    launch_kernel<kRadius, 1>(image, factors);
}

}  // namespace

void convolve_tiled(const float* d_in, const float* h_weights, float* d_out, int width, int height,
                    int radius) {
  launch({d_in, d_out, width, height}, h_weights, radius);
}
