// Idea: rows of float4 weights in constant memory, and two pixels per thread.
#include <algorithm>
#include <array>
#include <utility>

#include <cuda/atomic>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/memory_types.hpp"

namespace {

constexpr int kMaxWindow = 2 * lab::kMaxRadius + 1;
constexpr int kQuads = lab::ceil_div(kMaxWindow, 4);

__constant__ float4 c_rows[kMaxWindow][kQuads];

void upload_rows(const float* h_weights, int radius) {
  const int window = 2 * radius + 1;
  std::array<float, kMaxWindow * kQuads * 4> rows{};
  for (int r = 0; r < window; ++r) std::copy_n(h_weights + r * window, window, rows.data() + r * kQuads * 4);
  CUDA_CHECK(cudaMemcpyToSymbol(c_rows, rows.data(), window * kQuads * sizeof(float4)));
}

// ---- blur: persistent one-dimensional grid ----

struct Mean {
  float sum = 0;
  int count = 0;
  __device__ Mean& operator+=(float value) {
    sum += value;
    ++count;
    return *this;
  }
  __device__ operator float() const { return sum / count; }
};

__global__ void blur_flat(const float* __restrict__ in, float* __restrict__ out, int width, int height,
                          int radius) {
  const int pixels = width * height;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pixels; i += gridDim.x * blockDim.x) {
    const int row = i / width, col = i - row * width;
    Mean mean;
    for (int y = max(0, row - radius), below = min(height, row + radius + 1); y < below; ++y)
      for (int x = max(0, col - radius), end = min(width, col + radius + 1); x < end; ++x)
        mean += in[y * width + x];
    out[i] = mean;
  }
}

// ---- two pixels per thread, four weights per load ----

__global__ void __launch_bounds__(128)
    convolve_pair(const float* __restrict__ in, float* __restrict__ out, int width, int height, int radius) {
  const int col = blockIdx.x * 32 + threadIdx.x;
  const int row0 = blockIdx.y * 8 + threadIdx.y, row1 = row0 + 4;
  if (col >= width || row0 >= height) return;
  const int window = 2 * radius + 1;
  float sum0 = 0, sum1 = 0;
  for (int dy = 0; dy < window; ++dy) {
    const int y0 = row0 + dy - radius, y1 = row1 + dy - radius;
    const bool in0 = y0 >= 0 && y0 < height, in1 = y1 >= 0 && y1 < height && row1 < height;
    for (int q = 0; 4 * q < window; ++q) {
      const float4 quad = c_rows[dy][q];
      const float weights[4] = {quad.x, quad.y, quad.z, quad.w};
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const int dx = 4 * q + j, x = col + dx - radius;
        if (dx >= window || x < 0 || x >= width) continue;
        if (in0) sum0 += weights[j] * in[y0 * width + x];
        if (in1) sum1 += weights[j] * in[y1 * width + x];
      }
    }
  }
  out[row0 * width + col] = sum0;
  if (row1 < height) out[row1 * width + col] = sum1;
}

// ---- tile in dynamic shared memory: 64 × 32 pixels, 64 × 4 threads, 8 pixels of a column each ----

constexpr int kTileCols = 64, kTileRows = 32, kPer = 8, kThreadRows = kTileRows / kPer;

struct TileShape {
  int rows, cols;
  __host__ __device__ explicit TileShape(int radius)
      : rows(kTileRows + 2 * radius), cols(kTileCols + (2 * radius + 4) / 4 * 4 - 1) {}
  __host__ __device__ size_t bytes() const { return size_t(rows) * cols * sizeof(float); }
};

__global__ void convolve_columns(const float* __restrict__ in, float* __restrict__ out, int width, int height,
                                 int radius) {
  extern __shared__ float tile[];
  const TileShape shape(radius);
  const int row0 = blockIdx.y * kTileRows - radius, col0 = blockIdx.x * kTileCols - radius;
  const int t = threadIdx.y * kTileCols + threadIdx.x;
  for (int r = t / 32; r < shape.rows; r += 8)  // a warp for each row of the tile
    for (int c = t % 32; c < shape.cols; c += 32) {
      const int y = row0 + r, x = col0 + c;
      tile[r * shape.cols + c] = y >= 0 && y < height && x >= 0 && x < width && c < kTileCols + 2 * radius
                                     ? in[y * width + x]
                                     : 0.0f;
    }
  __syncthreads();

  const int window = 2 * radius + 1;
  float sums[kPer] = {};
  for (int dy = 0; dy < window; ++dy)
    for (int q = 0; 4 * q < window; ++q) {
      const float4 w = c_rows[dy][q];  // weights beyond the window are 0
      const float* pixels = tile + (threadIdx.y * kPer + dy) * shape.cols + threadIdx.x + 4 * q;
#pragma unroll
      for (int p = 0; p < kPer; ++p, pixels += shape.cols)
        sums[p] += (w.x * pixels[0] + w.y * pixels[1]) + (w.z * pixels[2] + w.w * pixels[3]);
    }

  const int col = blockIdx.x * kTileCols + threadIdx.x, row = blockIdx.y * kTileRows + threadIdx.y * kPer;
  if (col < width)
#pragma unroll
    for (int p = 0; p < kPer; ++p)
      if (row + p < height) out[(row + p) * width + col] = sums[p];
}

// ---- count: libcu++ atomics, redux, a persistent grid ----

__device__ int g_bright;

__global__ void count_persistent(const float* __restrict__ image, int pixels, float threshold) {
  using Shared = cuda::atomic_ref<int, cuda::thread_scope_block>;
  using Global = cuda::atomic_ref<int, cuda::thread_scope_device>;
  __shared__ int block_total;
  if (threadIdx.x == 0) block_total = 0;
  __syncthreads();
  int mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pixels; i += gridDim.x * blockDim.x)
    mine += image[i] > threshold ? 1 : 0;
  mine = __reduce_add_sync(0xffffffffu, mine);
  if (threadIdx.x % 32 == 0) Shared(block_total).fetch_add(mine, cuda::memory_order_relaxed);
  __syncthreads();
  if (threadIdx.x == 0) Global(g_bright).fetch_add(block_total, cuda::memory_order_relaxed);
}

// ---- levels: fold expressions ----

template <class>
struct Histogram;
template <int... L>
struct Histogram<std::integer_sequence<int, L...>> {
  int count[sizeof...(L)] = {};
  __device__ void operator<<(int level) { ((count[L] += level == L ? 1 : 0), ...); }
  __device__ int winner() const {
    int best = 0, most = -1;
    ((count[L] > most ? (most = count[L], best = L) : 0), ...);
    return best;
  }
};

__global__ void frequent(const int* __restrict__ levels, int* __restrict__ out, int width, int height,
                         int radius) {
  const int pixels = width * height;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pixels; i += gridDim.x * blockDim.x) {
    const int row = i / width, col = i % width;
    Histogram<std::make_integer_sequence<int, lab::kLevels>> histogram;
    for (int y = max(0, row - radius); y <= min(height - 1, row + radius); ++y)
      for (int x = max(0, col - radius); x <= min(width - 1, col + radius); ++x)
        histogram << levels[y * width + x];
    out[i] = histogram.winner();
  }
}

template <class Kernel>
int persistent_blocks(Kernel kernel, int threads, int elements) {
  int device = 0, sms = 0, per_sm = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, kernel, threads, 0));
  return std::max(1, std::min(sms * per_sm, lab::ceil_div(elements, threads)));
}

}  // namespace

void blur(const float* d_in, float* d_out, int width, int height, int radius) {
  blur_flat<<<persistent_blocks(blur_flat, 128, width * height), 128>>>(d_in, d_out, width, height, radius);
  CUDA_CHECK(cudaGetLastError());
}

void convolve_constant(const float* d_in, const float* h_weights, float* d_out, int width, int height,
                       int radius) {
  upload_rows(h_weights, radius);
  convolve_pair<<<dim3(lab::ceil_div(width, 32), lab::ceil_div(height, 8)), dim3(32, 4)>>>(d_in, d_out, width,
                                                                                           height, radius);
  CUDA_CHECK(cudaGetLastError());
}

void convolve_tiled(const float* d_in, const float* h_weights, float* d_out, int width, int height,
                    int radius) {
  upload_rows(h_weights, radius);
  const size_t bytes = TileShape(radius).bytes();
  CUDA_CHECK(cudaFuncSetAttribute(convolve_columns, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes)));
  const dim3 grid(lab::ceil_div(width, kTileCols), lab::ceil_div(height, kTileRows));
  convolve_columns<<<grid, dim3(kTileCols, kThreadRows), bytes>>>(d_in, d_out, width, height, radius);
  CUDA_CHECK(cudaGetLastError());
}

void count_bright(const float* d_image, int width, int height, float threshold, bool restart, int* h_count) {
  if (restart) {
    constexpr int zero = 0;
    CUDA_CHECK(cudaMemcpyToSymbol(g_bright, &zero, sizeof zero));
  }
  const int pixels = width * height;
  count_persistent<<<persistent_blocks(count_persistent, 1024, pixels), 1024>>>(d_image, pixels, threshold);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpyFromSymbol(h_count, g_bright, sizeof(int)));
}

void most_frequent(const int* d_levels, int* d_out, int width, int height, int radius) {
  frequent<<<persistent_blocks(frequent, 192, width * height), 192>>>(d_levels, d_out, width, height, radius);
  CUDA_CHECK(cudaGetLastError());
}
