// Idea: kernels are templates over the radius; a constexpr table of launchers, made from an index_sequence.

#include <array>
#include <stdexcept>
#include <utility>

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "lab/ceil_div.hpp"
#include "lab/memory_types.hpp"

namespace cg = cooperative_groups;

void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

struct Image {
  const float* in;
  float* out;
  int width, height;
  __device__ float at(int row, int col) const {
    return row >= 0 && row < height && col >= 0 && col < width ? in[row * width + col] : 0.0f;
  }
};

__constant__ float c_weights[17 * 17];
constexpr int kCols = 32, kWarps = 4, kPer = 8;

template <int R>
__global__ void blur_kernel(Image image) {
  const int col = blockIdx.x * kCols + threadIdx.x;
  const int row = blockIdx.y * kWarps + threadIdx.y;
  if (col >= image.width || row >= image.height) return;
  float sum = 0;
  int rows = 0, cols = 0;
#pragma unroll 1
  for (int dy = -R; dy <= R; ++dy) {
    rows += row + dy >= 0 && row + dy < image.height;
#pragma unroll
    for (int dx = -R; dx <= R; ++dx) sum += image.at(row + dy, col + dx);
  }
  for (int dx = -R; dx <= R; ++dx) cols += col + dx >= 0 && col + dx < image.width;
  image.out[row * image.width + col] = __fdividef(sum, static_cast<float>(rows * cols));
}

template <int R>
__global__ void constant_kernel(Image image) {
  const int col = blockIdx.x * kCols + threadIdx.x;
  const int row = blockIdx.y * kWarps + threadIdx.y;
  if (col >= image.width || row >= image.height) return;
  float sum = 0;
#pragma unroll 1
  for (int dy = 0; dy <= 2 * R; ++dy)
#pragma unroll
    for (int dx = 0; dx <= 2 * R; ++dx)
      sum += c_weights[dy * (2 * R + 1) + dx] * image.at(row + dy - R, col + dx - R);
  image.out[row * image.width + col] = sum;
}

// A thread has kPer neighbouring rows of one column and keeps a column of the tile in registers.
template <int R>
__global__ void tiled_kernel(Image image) {
  constexpr int kHigh = kWarps * kPer + 2 * R, kWide = kCols + 2 * R;
  __shared__ float tile[kHigh][kWide];
  const int left = blockIdx.x * kCols - R, top = blockIdx.y * kWarps * kPer - R;
  for (int i = threadIdx.y * kCols + threadIdx.x; i < kHigh * kWide; i += kCols * kWarps)
    tile[i / kWide][i % kWide] = image.at(top + i / kWide, left + i % kWide);
  cg::this_thread_block().sync();
  float sums[kPer] = {};
#pragma unroll 1
  for (int dx = 0; dx <= 2 * R; ++dx) {
    float column[kPer + 2 * R];
#pragma unroll
    for (int i = 0; i < kPer + 2 * R; ++i) column[i] = tile[threadIdx.y * kPer + i][threadIdx.x + dx];
#pragma unroll
    for (int dy = 0; dy <= 2 * R; ++dy) {
      const float weight = c_weights[dy * (2 * R + 1) + dx];
#pragma unroll
      for (int s = 0; s < kPer; ++s) sums[s] += weight * column[s + dy];
    }
  }
  const int col = blockIdx.x * kCols + threadIdx.x;
#pragma unroll
  for (int s = 0; s < kPer; ++s) {
    const int row = blockIdx.y * kWarps * kPer + threadIdx.y * kPer + s;
    if (row < image.height && col < image.width) image.out[row * image.width + col] = sums[s];
  }
}

using Launcher = void (*)(Image);
dim3 grid(const Image& image, int rows) {
  return dim3(lab::ceil_div(image.width, kCols), lab::ceil_div(image.height, rows));
}
template <std::size_t... R>
constexpr std::array<std::array<Launcher, sizeof...(R)>, 3> launchers(std::index_sequence<R...>) {
  return {{{[](Image i) { blur_kernel<R><<<grid(i, kWarps), dim3(kCols, kWarps)>>>(i); }...},
           {[](Image i) { constant_kernel<R><<<grid(i, kWarps), dim3(kCols, kWarps)>>>(i); }...},
           {[](Image i) { tiled_kernel<R><<<grid(i, kWarps * kPer), dim3(kCols, kWarps)>>>(i); }...}}};
}
constexpr auto kLaunchers = launchers(std::make_index_sequence<lab::kMaxRadius + 1>{});

void run(int which, Image image, const float* h_weights, int radius) try {
  const int window = 2 * radius + 1;
  if (h_weights != nullptr) check(cudaMemcpyToSymbol(c_weights, h_weights, window * window * sizeof(float)));
  kLaunchers.at(which).at(radius)(image);
  check(cudaGetLastError());
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  throw;
}

void blur(const float* d_in, float* d_out, int width, int height, int radius) {
  run(0, {d_in, d_out, width, height}, nullptr, radius);
}
void convolve_constant(const float* d_in, const float* h_weights, float* d_out, int width, int height,
                       int radius) {
  run(1, {d_in, d_out, width, height}, h_weights, radius);
}
void convolve_tiled(const float* d_in, const float* h_weights, float* d_out, int width, int height,
                    int radius) {
  run(2, {d_in, d_out, width, height}, h_weights, radius);
}

__device__ int bright;

__global__ void count_kernel(const float* image, int pixels, float threshold) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int mine = 0;
  for (int i = cg::this_grid().thread_rank(); i < pixels; i += gridDim.x * blockDim.x)
    mine += image[i] > threshold;
  const int count = cg::reduce(warp, mine, cg::plus<int>());
  if (warp.thread_rank() == 0) atomicAdd(&bright, count);
}

void count_bright(const float* d_image, int width, int height, float threshold, bool restart, int* h_count) {
  int start = 0;
  if (!restart) check(cudaMemcpyFromSymbol(&start, bright, sizeof start));
  check(cudaMemcpyToSymbol(bright, &start, sizeof start));
  count_kernel<<<10, 128>>>(d_image, width * height, threshold);
  check(cudaMemcpyFromSymbol(h_count, bright, sizeof bright));
}

template <int... L>
__device__ int mode(const int* levels, int width, int top, int bottom, int left, int right,
                    std::integer_sequence<int, L...>) {
  int histogram[] = {(0 * L)...};
  for (int y = top; y <= bottom; ++y)
    for (int x = left; x <= right; ++x) {
      const int level = levels[y * width + x];
      ((histogram[L] += level == L), ...);
    }
  int most = 0;
  ((most = max(most, 16 * histogram[L] + 15 - L)),
   ...);  // equally frequent: the lowest level has the largest key
  return 15 - most % 16;
}

__global__ void most_frequent_kernel(const int* levels, int* out, int width, int height, int radius) {
  const int col = blockIdx.x * 16 + threadIdx.x % 16, row = blockIdx.y * 16 + threadIdx.x / 16;
  if (row < height && col < width)
    out[row * width + col] =
        mode(levels, width, max(row - radius, 0), min(row + radius, height - 1), max(col - radius, 0),
             min(col + radius, width - 1), std::make_integer_sequence<int, lab::kLevels>{});
}

void most_frequent(const int* d_levels, int* d_out, int width, int height, int radius) {
  most_frequent_kernel<<<dim3(lab::ceil_div(width, 16), lab::ceil_div(height, 16)), 256>>>(
      d_levels, d_out, width, height, radius);
  check(cudaGetLastError());
}
