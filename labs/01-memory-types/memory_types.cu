// 01-memory-types: windows over a grey image, and where sums, weights, pixels and counts should live.
//
// Do the TODOs in order and check after each group:   warpgrade check 01-memory-types
// TODO 1 to 10 are the core, worth 100 points; the bonus comes on top.
// README.md explains the task, hints.md helps when you are stuck. Budgets count lines of code.

#include "lab/ceil_div.hpp"  // lab::ceil_div(33, 16) = 3
#include "lab/check.hpp"     // CUDA_CHECK(call)
#include "lab/memory_types.hpp"

constexpr int kBlockWidth = 32;  // a block has kBlockWidth × kBlockHeight threads; until TODO 8 one per pixel
constexpr int kBlockHeight = 8;

// ---- A. The sum in a register ----

__global__ void blur_kernel(const float* in, float* out, int width, int height, int radius) {
  // TODO 2 (about 11 lines): the average of the existing pixels of this thread's window.
  //   Which column and row is this thread's pixel? Threads beyond the image return.
  //   Keep the sum and the number of pixels in variables of the thread; store once, at the end.
  //   Now "blur" and "register" pass.
}

void blur(const float* d_in, float* d_out, int width, int height, int radius) {
  // TODO 1 (about 4 lines): choose block and grid so that every pixel has a thread, launch blur_kernel, and
  //   check the launch with CUDA_CHECK(cudaGetLastError()).
}

// ---- B. Weights in constant memory ----

// TODO 3 (1 line): an array in constant memory, outside of all functions, that holds the weights of the
//   largest window: (2 * lab::kMaxRadius + 1)² floats.

__global__ void convolve_constant_kernel(const float* in, float* out, int width, int height, int radius) {
  // TODO 4 (about 12 lines): as blur_kernel, but each pixel is multiplied by its weight from constant
  //   memory, and the sum is stored as it is. A row of weights has 2 * radius + 1 elements.
}

void convolve_constant(const float* d_in, const float* h_weights, float* d_out, int width, int height,
                       int radius) {
  // TODO 5 (about 6 lines): copy the (2 * radius + 1)² weights with cudaMemcpyToSymbol (it counts bytes),
  //   launch, check. Now "constant" passes.
}

// ---- C. A tile with its halo in shared memory ----

__global__ void convolve_tiled_kernel(const float* in, float* out, int width, int height, int radius) {
  // TODO 6 (about 8 lines): declare a tile in shared memory for a block's pixels and a halo of
  //   lab::kMaxRadius on all four sides. All threads together load the pixels that this radius needs. There
  //   are more pixels than threads, so each thread loads several. What belongs in the tile where the image
  //   has no pixel?

  // TODO 7 (about 8 lines): wait until the tile is complete; add up weight × pixel from the tile; store the
  //   sum if this thread has a pixel.

  // TODO 9 (about 16 lines change, here and at the launch): let each thread compute 4 pixels of a column,
  //   kBlockHeight rows apart. Multiply each weight that the thread has read with 4 pixels before reading the
  //   next weight. A block now has 4 * kBlockHeight rows of pixels: this changes the tile, the loop that
  //   loads it, and the grid. Now "speed" passes.
}

void convolve_tiled(const float* d_in, const float* h_weights, float* d_out, int width, int height,
                    int radius) {
  // TODO 8 (about 6 lines): as TODO 5. Now "tile" and "traffic" pass.
}

// ---- D. An array for each thread ----

__global__ void most_frequent_kernel(const int* levels, int* out, int width, int height, int radius) {
  const int col = blockIdx.x * kBlockWidth + threadIdx.x;
  const int row = blockIdx.y * kBlockHeight + threadIdx.y;
  if (row >= height || col >= width) return;

  // TODO 10 (about 9 lines change): the result is right, but the histogram is in local memory, because the
  //   compiler cannot know the value of `level`. Rewrite every access so that its index is a constant once
  //   the loop around it is unrolled (#pragma unroll). Now "local" passes.
  int histogram[lab::kLevels] = {};
  for (int y = max(row - radius, 0); y <= min(row + radius, height - 1); ++y) {
    for (int x = max(col - radius, 0); x <= min(col + radius, width - 1); ++x) {
      const int level = levels[y * width + x];
      ++histogram[level];
    }
  }
  int best = 0;
  for (int i = 1; i < lab::kLevels; ++i) {
    if (histogram[i] > histogram[best]) best = i;
  }
  out[row * width + col] = best;
}

void most_frequent(const int* d_levels, int* d_out, int width, int height, int radius) {
  const dim3 block(kBlockWidth, kBlockHeight);
  const dim3 grid(lab::ceil_div(width, kBlockWidth), lab::ceil_div(height, kBlockHeight));
  most_frequent_kernel<<<grid, block>>>(d_levels, d_out, width, height, radius);
  CUDA_CHECK(cudaGetLastError());
}

// ---- E. Bonus: a count that outlives its kernel ----

// TODO 11 (1 line): a variable in global memory, outside of all functions, that lives as long as the program.

__global__ void count_kernel(const float* image, int pixels, float threshold) {
  // TODO 13 (about 3 lines): a thread whose pixel is greater than the threshold adds 1. Many threads do this
  //   at the same time.

  // TODO 14 (about 6 lines change): let a block add up its own pixels in shared memory first, and add to the
  //   variable of TODO 11 once. Now all of "count" passes.
}

void count_bright(const float* d_image, int width, int height, float threshold, bool restart, int* h_count) {
  // TODO 12 (about 7 lines): set the count to 0 when `restart` is true, launch count_kernel with blocks of
  //   256 threads, check, and read the count back with cudaMemcpyFromSymbol.
}
