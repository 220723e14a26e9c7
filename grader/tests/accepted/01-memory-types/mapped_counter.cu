// Idea: generic window kernel with functors; the count is in mapped pinned memory; grid-stride pixels in 1D
// blocks.

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/memory_types.hpp"

struct Shape {
  int width, height, radius;
  __host__ __device__ int window() const { return 2 * radius + 1; }
  __host__ __device__ int pixels() const { return width * height; }
};

__constant__ float weights[17 * 17];

struct Average {
  float sum = 0;
  int pixels = 0;
  __device__ void operator()(float pixel, int, int, Shape) { sum += pixel, ++pixels; }
  __device__ float result() const { return sum / pixels; }
};

struct Weighted {
  float sum = 0;
  __device__ void operator()(float pixel, int dy, int dx, Shape shape) {
    sum += pixel * weights[(dy + shape.radius) * shape.window() + dx + shape.radius];
  }
  __device__ float result() const { return sum; }
};

struct Mode {
  int n0 = 0, n1 = 0, n2 = 0, n3 = 0, n4 = 0, n5 = 0, n6 = 0, n7 = 0;
  __device__ void operator()(int level, int, int, Shape) {
    n0 += level == 0, n1 += level == 1, n2 += level == 2, n3 += level == 3;
    n4 += level == 4, n5 += level == 5, n6 += level == 6, n7 += level == 7;
  }
  __device__ int result() const {
    const int most = max(max(max(n0, n1), max(n2, n3)), max(max(n4, n5), max(n6, n7)));
    return most == n0   ? 0
           : most == n1 ? 1
           : most == n2 ? 2
           : most == n3 ? 3
           : most == n4 ? 4
           : most == n5 ? 5
           : most == n6 ? 6
                        : 7;
  }
};

template <class Sum, class T>
__global__ void window_kernel(const T* in, T* out, Shape shape) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = i / shape.width, col = i % shape.width;
  if (i >= shape.pixels()) return;
  Sum sum;
  for (int dy = -shape.radius; dy <= shape.radius; ++dy)
    for (int dx = -shape.radius; dx <= shape.radius; ++dx) {
      if (row + dy < 0 || row + dy >= shape.height || col + dx < 0 || col + dx >= shape.width) continue;
      sum(in[(row + dy) * shape.width + col + dx], dy, dx, shape);
    }
  out[i] = sum.result();
}

template <class Sum, class T>
void over_windows(const T* d_in, T* d_out, Shape shape) {
  window_kernel<Sum><<<lab::ceil_div(shape.pixels(), 256), 256>>>(d_in, d_out, shape);
  CUDA_CHECK(cudaGetLastError());
}

void blur(const float* d_in, float* d_out, int width, int height, int radius) {
  over_windows<Average>(d_in, d_out, {width, height, radius});
}

void convolve_constant(const float* d_in, const float* h_weights, float* d_out, int width, int height,
                       int radius) {
  const Shape shape{width, height, radius};
  CUDA_CHECK(cudaMemcpyToSymbol(weights, h_weights, shape.window() * shape.window() * sizeof(float)));
  over_windows<Weighted>(d_in, d_out, shape);
}

void most_frequent(const int* d_levels, int* d_out, int width, int height, int radius) {
  over_windows<Mode>(d_levels, d_out, {width, height, radius});
}

// One warp for each block; a lane has 8 rows of its column. The warp fills the tile, so no block-wide
// barrier.
constexpr int kPer = 8;

__global__ void tiled_kernel(const float* in, float* out, Shape shape) {
  extern __shared__ float tile[];
  const int pitch = 32 + 2 * shape.radius, lane = threadIdx.x;
  const int left = blockIdx.x * 32 - shape.radius, top = blockIdx.y * kPer - shape.radius;
  for (int y = 0; y < kPer + 2 * shape.radius; ++y)
    for (int x = lane; x < pitch; x += 32) {
      const bool there = top + y >= 0 && top + y < shape.height && left + x >= 0 && left + x < shape.width;
      tile[y * pitch + x] = there ? __ldg(&in[(top + y) * shape.width + left + x]) : 0.0f;
    }
  __syncwarp();
  float sums[kPer] = {};
  for (int dy = 0; dy < shape.window(); ++dy)
    for (int dx = 0; dx < shape.window(); ++dx) {
      const float weight = weights[dy * shape.window() + dx];
      const float* pixel = tile + dy * pitch + dx + lane;
#pragma unroll
      for (int r = 0; r < kPer; ++r) {
        sums[r] += weight * *pixel;
        pixel += pitch;
      }
    }
  const int col = blockIdx.x * 32 + lane;
#pragma unroll
  for (int r = 0; r < kPer; ++r)
    if (col < shape.width && blockIdx.y * kPer + r < shape.height)
      out[(blockIdx.y * kPer + r) * shape.width + col] = sums[r];
}

void convolve_tiled(const float* d_in, const float* h_weights, float* d_out, int width, int height,
                    int radius) {
  const Shape shape{width, height, radius};
  CUDA_CHECK(cudaMemcpyToSymbol(weights, h_weights, shape.window() * shape.window() * sizeof(float)));
  const size_t bytes = (32 + 2 * radius) * (kPer + 2 * radius) * sizeof(float);
  tiled_kernel<<<dim3(lab::ceil_div(width, 32), lab::ceil_div(height, kPer)), 32, bytes>>>(d_in, d_out,
                                                                                           shape);
  CUDA_CHECK(cudaGetLastError());
}

// The counter is pinned host memory that kernels reach, too. It lives until the program ends.
int* shared_counter() {
  static int* const counter = [] {
    int* made = nullptr;
    CUDA_CHECK(cudaHostAlloc(&made, sizeof(int), cudaHostAllocMapped));
    *made = 0;
    return made;
  }();
  return counter;
}

__global__ void count_kernel(const float* image, int pixels, float threshold, int* total) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int count = __syncthreads_count(i < pixels && image[i] > threshold);
  if (threadIdx.x == 0) atomicAdd_system(total, count);
}

void count_bright(const float* d_image, int width, int height, float threshold, bool restart, int* h_count) {
  int* const h_total = shared_counter();
  int* d_total = nullptr;
  CUDA_CHECK(cudaHostGetDevicePointer(&d_total, h_total, 0));
  if (restart) *h_total = 0;
  count_kernel<<<lab::ceil_div(width * height, 256), 256>>>(d_image, width * height, threshold, d_total);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  *h_count = *h_total;
}
