// Idea: the extents are a __grid_constant__ structure, the arrays are spans, the tiles objects.

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/tiled_matmul.hpp"

// A block of 256 threads in one dimension computes 32 x 32 elements, 4 per thread. Tiles of 32 (m) x 16 (k)
// and 16 x 32.
constexpr int BM = 32, BN = 32, BK = 16;

#include <utility>

#include <cuda/std/array>
#include <cuda/std/span>
namespace {
template <int kSide>
struct Tile {
  float cell[kSide][kSide];
  template <class Get>
  __device__ void fill(Get&& get) {
    const auto [x, y] = me();
    cell[y][x] = get(y, x);
  }
  static __device__ auto me() { return cuda::std::pair<int, int>(threadIdx.x, threadIdx.y); }
};
struct Shape {
  int m, k, n;
};
template <int kSide, std::size_t... I>
__device__ float dot(const Tile<kSide>& a, const Tile<kSide>& b, int y, int x, std::index_sequence<I...>) {
  return (0.0f + ... + (a.cell[y][I] * b.cell[I][x]));
}
template <int kSide>
__global__ void product(const __grid_constant__ Shape s, cuda::std::span<const float> M,
                        cuda::std::span<const float> N, cuda::std::span<float> P) {
  __shared__ Tile<kSide> a, b;
  const auto [x, y] = Tile<kSide>::me();
  const int top = blockIdx.y * kSide, left = blockIdx.x * kSide;
  cuda::std::array<float, 2> total{};
  for (int at = 0; at < s.k; at += kSide) {
    a.cell[y][x] = top + y < s.m && at + x < s.k ? M[(top + y) * s.k + at + x] : 0.f;
    b.cell[y][x] = at + y < s.k && left + x < s.n ? N[(at + y) * s.n + left + x] : 0.f;
    __syncthreads();
    total[0] += dot(a, b, y, x, std::make_index_sequence<kSide>{});
    __syncthreads();
  }
  if (top + y < s.m && left + x < s.n) P[(top + y) * s.n + left + x] = total[0];
}
}  // namespace
void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  const Shape s{m, k, n};
  product<16><<<dim3(lab::ceil_div(n, 16), lab::ceil_div(m, 16)), dim3(16, 16)>>>(
      s, {d_M, size_t(m) * k}, {d_N, size_t(k) * n}, {d_P, size_t(m) * n});
  CUDA_CHECK(cudaGetLastError());
}
__global__ void mm_any(const float* M, const float* N, float* P, int m, int k, int n, int w) {
  extern __shared__ float sh[];
  float* a = sh;
  float* b = sh + w * w;
  const int x = threadIdx.x % w, y = threadIdx.x / w;
  const int row = blockIdx.y * w + y, col = blockIdx.x * w + x;
  const int mine = y * w + x;
  float s = 0;
  int done = 0;
  while (done < k) {
    float va = 0, vb = 0;
    if (row < m && done + x < k) va = M[(size_t)row * k + done + x];
    if (col < n && done + y < k) vb = N[(size_t)(done + y) * n + col];
    a[mine] = va;
    b[mine] = vb;
    __syncthreads();
    const float* pa = a + y * w;
    const float* pb = b + x;
    for (int i = 0; i < w; ++i, ++pa, pb += w) s = fmaf(*pa, *pb, s);
    __syncthreads();
    done += w;
  }
  if (row >= m || col >= n) return;
  P[(size_t)row * n + col] = s;
}

static int widest() {
  cudaDeviceProp prop;
  CUDA_CHECK(cudaGetDeviceProperties(&prop, 0));
  for (int w : {32, 16, 8, 4, 2})
    if (w * w <= prop.maxThreadsPerBlock && 2 * w * w * sizeof(float) <= prop.sharedMemPerBlock) return w;
  return 1;
}

void tiled_matmul_dynamic(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  const int w = widest();
  mm_any<<<dim3(lab::ceil_div(n, w), lab::ceil_div(m, w)), w * w, 2 * w * w * sizeof(float)>>>(d_M, d_N, d_P,
                                                                                               m, k, n, w);
  CUDA_CHECK(cudaGetLastError());
}
