// Idea: every function's work is captured into a graph; counts by a chain of events; levels with bit tricks.

#include <functional>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/memory_types.hpp"

constexpr int kWidth = 64, kRows = 4, kPerThread = 4;
__constant__ float table[512];
__device__ int counter;

// Captures what `issue` puts into a stream, runs it as a graph, and waits for it.
void as_graph(const std::function<void(cudaStream_t)>& issue) {
  cudaStream_t stream;
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  issue(stream);
  cudaGraph_t graph;
  CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t executable;
  CUDA_CHECK(cudaGraphInstantiate(&executable, graph, 0));
  CUDA_CHECK(cudaGraphLaunch(executable, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  CUDA_CHECK(cudaGraphExecDestroy(executable));
  CUDA_CHECK(cudaGraphDestroy(graph));
  CUDA_CHECK(cudaStreamDestroy(stream));
}

// A thread slides down a column: it keeps the sums of the window's rows and replaces the oldest.
__global__ void blur_kernel(const float* in, float* out, int width, int height, int radius) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int first = blockIdx.y * 8, last = min(first + 8, height);
  if (col >= width) return;
  const int left = max(col - radius, 0), right = min(col + radius, width - 1);
  const auto row_sum = [&](int y) {
    double sum = 0;
    if (y < 0 || y >= height) return sum;
    for (int x = left; x <= right; ++x) sum += in[y * width + x];
    return sum;
  };
  double window = 0;
  for (int y = first - radius; y < first + radius; ++y) window += row_sum(y);
  for (int y = first; y < last; ++y) {
    window += row_sum(y + radius);
    const int pixels = (min(y + radius, height - 1) - max(y - radius, 0) + 1) * (right - left + 1);
    out[y * width + col] = float(window / pixels);
    window -= row_sum(y - radius);
  }
}

void blur(const float* d_in, float* d_out, int width, int height, int radius) {
  as_graph([=](cudaStream_t stream) {
    blur_kernel<<<dim3(lab::ceil_div(width, 32), lab::ceil_div(height, 8)), 32, 0, stream>>>(
        d_in, d_out, width, height, radius);
  });
}

__global__ void constant_kernel(const float* in, float* out, int width, int height, int radius) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width * height) return;
  const int row = i / width, col = i - row * width;
  const int2 y = {max(-radius, -row), min(radius, height - 1 - row)};
  const int2 x = {max(-radius, -col), min(radius, width - 1 - col)};
  float sum = 0;
  for (int dy = y.x; dy <= y.y; ++dy)
    for (int dx = x.x; dx <= x.y; ++dx)
      sum += table[(dy + radius) * (2 * radius + 1) + dx + radius] * in[i + dy * width + dx];
  out[i] = sum;
}

void convolve_constant(const float* d_in, const float* h_weights, float* d_out, int width, int height,
                       int radius) {
  const size_t bytes = (2 * radius + 1) * (2 * radius + 1) * sizeof(float);
  as_graph([=](cudaStream_t stream) {
    CUDA_CHECK(cudaMemcpyToSymbolAsync(table, h_weights, bytes, 0, cudaMemcpyHostToDevice, stream));
    constant_kernel<<<lab::ceil_div(width * height, 192), 192, 0, stream>>>(d_in, d_out, width, height,
                                                                            radius);
  });
}

// Two columns per thread, 32 apart, and two rows: blocks of 32 × 4 threads have 64 × 8 pixels.
__global__ void tiled_kernel(const float* in, float* out, int width, int height, int radius) {
  __shared__ float tile[2 * kRows + 16][kWidth + 16];
  const int x0 = blockIdx.x * kWidth, y0 = blockIdx.y * 2 * kRows, window = 2 * radius + 1;
  for (int y = threadIdx.y; y < 2 * kRows + 2 * radius; y += kRows)
    for (int x = threadIdx.x; x < kWidth + 2 * radius; x += 32) {
      const int row = y0 + y - radius, col = x0 + x - radius;
      const bool there = row >= 0 && row < height && col >= 0 && col < width;
      tile[y][x] = there ? in[row * width + col] : 0.0f;
    }
  __syncthreads();
  float s00 = 0, s01 = 0, s10 = 0, s11 = 0;
  for (int dy = 0; dy < window; ++dy)
    for (int dx = 0; dx < window; ++dx) {
      const float w = table[dy * window + dx];
      const float* p = &tile[threadIdx.y + dy][threadIdx.x + dx];
      s00 += w * p[0], s01 += w * p[32], s10 += w * p[kRows * (kWidth + 16)],
          s11 += w * p[kRows * (kWidth + 16) + 32];
    }
  const float sums[2][2] = {{s00, s01}, {s10, s11}};
#pragma unroll
  for (int a = 0; a < 2; ++a)
#pragma unroll
    for (int b = 0; b < 2; ++b) {
      const int row = y0 + threadIdx.y + a * kRows, col = x0 + threadIdx.x + b * 32;
      if (row < height && col < width) out[row * width + col] = sums[a][b];
    }
}

void convolve_tiled(const float* d_in, const float* h_weights, float* d_out, int width, int height,
                    int radius) {
  const size_t bytes = (2 * radius + 1) * (2 * radius + 1) * sizeof(float);
  as_graph([=](cudaStream_t stream) {
    CUDA_CHECK(cudaMemcpyToSymbolAsync(table, h_weights, bytes, 0, cudaMemcpyHostToDevice, stream));
    const dim3 grid(lab::ceil_div(width, kWidth), lab::ceil_div(height, 2 * kRows));
    tiled_kernel<<<grid, dim3(32, kRows), 0, stream>>>(d_in, d_out, width, height, radius);
  });
}

__global__ void count_kernel(const float* image, int pixels, float threshold) {
  int count = 0;
  for (int i = threadIdx.x + blockIdx.x * 512; i < pixels; i += 512 * gridDim.x)
    count += image[i] > threshold;
  for (int lanes = 16; lanes > 0; lanes >>= 1) count += __shfl_xor_sync(0xffffffff, count, lanes);
  if (threadIdx.x % 32 == 0)
    asm volatile("red.global.add.s32 [%0], %1;" ::"l"(&counter), "r"(count) : "memory");
}

void count_bright(const float* d_image, int width, int height, float threshold, bool restart, int* h_count) {
  as_graph([=](cudaStream_t stream) {
    void* address = nullptr;
    CUDA_CHECK(cudaGetSymbolAddress(&address, counter));
    if (restart) CUDA_CHECK(cudaMemsetAsync(address, 0, sizeof(int), stream));
    count_kernel<<<lab::ceil_div(width * height, 2048), 512, 0, stream>>>(d_image, width * height, threshold);
    CUDA_CHECK(cudaMemcpyFromSymbolAsync(h_count, counter, sizeof(int), 0, cudaMemcpyDeviceToHost, stream));
  });
}

// The histogram in shared memory, a byte pair per level and thread: words of all threads of a level are
// neighbours.
__global__ void levels_kernel(const int* levels, int* out, int width, int height, int radius) {
  __shared__ unsigned short histogram[lab::kLevels][128];
  const int t = threadIdx.y * 32 + threadIdx.x;
  const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 4 + threadIdx.y;
  if (row >= height || col >= width) return;
  for (auto& level : histogram) level[t] = 0;
  for (int y = max(row - radius, 0); y <= min(row + radius, height - 1); ++y)
    for (int x = max(col - radius, 0); x <= min(col + radius, width - 1); ++x)
      ++histogram[levels[y * width + x]][t];
  int best = lab::kLevels - 1;
  for (int i = best; i-- > 0;) best = histogram[i][t] >= histogram[best][t] ? i : best;
  out[row * width + col] = best;
}

void most_frequent(const int* d_levels, int* d_out, int width, int height, int radius) {
  as_graph([=](cudaStream_t stream) {
    const dim3 grid(lab::ceil_div(width, 32), lab::ceil_div(height, 4));
    levels_kernel<<<grid, dim3(32, 4), 0, stream>>>(d_levels, d_out, width, height, radius);
  });
}
