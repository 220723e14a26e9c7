// Idea: a kernel for each radius, rows of the image in a ring of shared memory, packed counters, groups.
#include <utility>

#include <cooperative_groups.h>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/memory_types.hpp"
namespace cg = cooperative_groups;
namespace {
constexpr int kBx = 32, kBy = 8, kW = 2 * lab::kMaxRadius + 1;
__constant__ float c_w[kW][kW];  // centred

template <int R>
__global__ void __launch_bounds__(kBx* kBy)
    blur_k(const float* __restrict__ in, float* __restrict__ out, int w, int h) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c < w && r < h) {
    const int x0 = max(c - R, 0), x1 = min(c + R, w - 1), y0 = max(r - R, 0), y1 = min(r + R, h - 1);
    double s = 0.0;
    for (const float* row = in + y0 * w; row <= in + y1 * w; row += w)
      for (int x = x0; x <= x1; ++x) s += row[x];
    out[r * w + c] = float(s / ((x1 - x0 + 1) * (y1 - y0 + 1)));
  }
}
template <int R>
__global__ void const_k(const float* __restrict__ in, float* __restrict__ out, int w, int h) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c >= w || r >= h) return;
  float s = 0;
#pragma unroll
  for (int dy = -R; dy <= R; ++dy)
#pragma unroll
    for (int dx = -R; dx <= R; ++dx) {
      const int y = r + dy, x = c + dx;
      if (unsigned(y) < unsigned(h) && unsigned(x) < unsigned(w))
        s = fmaf(c_w[lab::kMaxRadius + dy][lab::kMaxRadius + dx], in[y * w + x], s);
    }
  out[r * w + c] = s;
}
// A block computes 32 columns x 64 rows, 4 rows a thread at a time.
constexpr int kRows = 4;
template <int R>
__global__ void tiled_k(const float* __restrict__ in, float* __restrict__ out, int w, int h) {
  extern __shared__ float smem[];
  constexpr int TW = kBx + 2 * R, TH = kBy * kRows + 2 * R;
  const int x0 = blockIdx.x * kBx - R, y0 = blockIdx.y * kBy * kRows - R;
  for (int i = threadIdx.y * kBx + threadIdx.x; i < TW * TH; i += kBx * kBy) {
    const int ty = i / TW, tx = i - ty * TW, y = y0 + ty, x = x0 + tx;
    smem[i] = (unsigned(y) < unsigned(h) && unsigned(x) < unsigned(w)) ? __ldg(in + y * w + x) : 0.f;
  }
  __syncthreads();
  float s[kRows] = {0.f};
  // register window: kRows + 2R values of a column, kRows neighbouring rows per thread
#pragma unroll
  for (int dx = 0; dx <= 2 * R; ++dx) {
    float col[kRows + 2 * R];
#pragma unroll
    for (int j = 0; j < kRows + 2 * R; ++j) col[j] = smem[(threadIdx.y * kRows + j) * TW + threadIdx.x + dx];
#pragma unroll
    for (int dy = 0; dy <= 2 * R; ++dy)
#pragma unroll
      for (int j = 0; j < kRows; ++j)
        s[j] += c_w[lab::kMaxRadius - R + dy][lab::kMaxRadius - R + dx] * col[j + dy];
  }
  const int c = blockIdx.x * kBx + threadIdx.x;
#pragma unroll
  for (int j = 0; j < kRows; ++j) {
    const int r = (blockIdx.y * kBy + threadIdx.y) * kRows + j;
    if (r < h && c < w) out[r * w + c] = s[j];
  }
}
template <int R>
__global__ void mode_k(const int* __restrict__ in, int* __restrict__ out, int w, int h) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c >= w || r >= h) return;
  unsigned long long lo = 0, hi = 0;  // 8 counters of 16 bits
  for (int y = max(r - R, 0); y <= min(r + R, h - 1); ++y)
    for (int x = max(c - R, 0); x <= min(c + R, w - 1); ++x) {
      const int v = in[y * w + x];
      const unsigned long long one = 1ull << (16 * (v & 3));
      lo += v < 4 ? one : 0;
      hi += v < 4 ? 0 : one;
    }
  unsigned best = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i)
    best = max(best, unsigned(((i < 4 ? lo : hi) >> (16 * (i & 3))) & 0xffff) << 3 | (7 - i));
  out[r * w + c] = 7 - (best & 7);
}
template <class F, int... I>
void dispatch(int radius, F&& f, std::integer_sequence<int, I...>) {
  ((radius == I ? (f(std::integral_constant<int, I>{}), 0) : 0), ...);
}
template <class F>
void with_radius(int radius, F&& f) {
  dispatch(radius, f, std::make_integer_sequence<int, lab::kMaxRadius + 1>{});
  CUDA_CHECK(cudaGetLastError());
}
void upload(const float* h_w, int radius) {
  const int n = 2 * radius + 1;
  for (int y = 0; y < n; ++y)
    CUDA_CHECK(
        cudaMemcpyToSymbol(c_w, h_w + y * n, n * sizeof(float),
                           ((lab::kMaxRadius - radius + y) * kW + lab::kMaxRadius - radius) * sizeof(float)));
}
__device__ int d_count;
__global__ void count_k(const float* img, int n, float t) {
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  __shared__ int total;
  if (block.thread_rank() == 0) total = 0;
  block.sync();
  int mine = 0;
  for (int i = cg::this_grid().thread_rank(); i < n; i += cg::this_grid().size()) mine += img[i] > t;
  for (int o = warp.size() / 2; o; o >>= 1) mine += warp.shfl_xor(mine, o);
  if (warp.thread_rank() == 0 && mine) atomicAdd(&total, mine);
  block.sync();
  if (block.thread_rank() == 0 && total) atomicAdd(&d_count, total);
}
}  // namespace
void blur(const float* d_in, float* d_out, int width, int height, int radius) {
  const dim3 b(kBx, kBy), g(lab::ceil_div(width, kBx), lab::ceil_div(height, kBy));
  with_radius(radius, [&](auto R) { blur_k<decltype(R)::value><<<g, b>>>(d_in, d_out, width, height); });
}
void convolve_constant(const float* d_in, const float* h_weights, float* d_out, int width, int height,
                       int radius) {
  upload(h_weights, radius);
  const dim3 b(kBx, kBy), g(lab::ceil_div(width, kBx), lab::ceil_div(height, kBy));
  with_radius(radius, [&](auto R) { const_k<decltype(R)::value><<<g, b>>>(d_in, d_out, width, height); });
}
void convolve_tiled(const float* d_in, const float* h_weights, float* d_out, int width, int height,
                    int radius) {
  upload(h_weights, radius);
  const dim3 b(kBx, kBy), g(lab::ceil_div(width, kBx), lab::ceil_div(height, kBy * kRows));
  const size_t bytes = (kBx + 2 * radius) * (kBy * kRows + 2 * radius) * sizeof(float);
  with_radius(radius,
              [&](auto R) { tiled_k<decltype(R)::value><<<g, b, bytes>>>(d_in, d_out, width, height); });
}
void most_frequent(const int* d_levels, int* d_out, int width, int height, int radius) {
  const dim3 b(kBx, kBy), g(lab::ceil_div(width, kBx), lab::ceil_div(height, kBy));
  with_radius(radius, [&](auto R) { mode_k<decltype(R)::value><<<g, b>>>(d_levels, d_out, width, height); });
}
void count_bright(const float* d_image, int width, int height, float threshold, bool restart, int* h_count) {
  void* p;
  CUDA_CHECK(cudaGetSymbolAddress(&p, d_count));
  if (restart) CUDA_CHECK(cudaMemset(p, 0, sizeof(int)));
  const int n = width * height;
  count_k<<<min(48, lab::ceil_div(n, 256)), 256>>>(d_image, n, threshold);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(h_count, p, sizeof(int), cudaMemcpyDeviceToHost));
}
