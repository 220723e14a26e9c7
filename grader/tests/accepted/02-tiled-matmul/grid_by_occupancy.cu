// Idea: a persistent kernel with blocks of 1,024 threads, sized by the occupancy API, and tiles of 32 × 64.
#include <algorithm>
#include <iterator>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/tiled_matmul.hpp"

namespace {

template <int Rows, int Depth, int Cols>
struct Shape {
  static constexpr int rows = Rows, depth = Depth, cols = Cols, threads = Rows * Cols;
};

template <class S>
struct Stage {
  float m[S::rows][S::depth];
  float n[S::depth][S::cols];
};

template <class S>
__global__ void __launch_bounds__(S::threads) walk(const float* __restrict__ M, const float* __restrict__ N,
                                                   float* __restrict__ P, int m, int k, int n) {
  __shared__ Stage<S> stage;
  const int t = threadIdx.x, r = t / S::cols, c = t % S::cols;
  const int across = lab::ceil_div(n, S::cols), tiles = across * lab::ceil_div(m, S::rows);
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const int row0 = tile / across * S::rows, col0 = tile % across * S::cols;
    float even = 0, odd = 0;
    for (int k0 = 0; k0 < k; k0 += S::depth) {
      for (int e = t; e < S::rows * S::depth; e += S::threads) {
        const int row = row0 + e / S::depth, at = k0 + e % S::depth;
        (&stage.m[0][0])[e] = row < m && at < k ? __ldg(M + row * k + at) : 0.0f;
      }
      for (int e = t; e < S::depth * S::cols; e += S::threads) {
        const int at = k0 + e / S::cols, col = col0 + e % S::cols;
        (&stage.n[0][0])[e] = at < k && col < n ? __ldg(N + at * n + col) : 0.0f;
      }
      __syncthreads();
#pragma unroll
      for (int i = 0; i < S::depth; i += 2) {
        even += stage.m[r][i] * stage.n[i][c];
        odd += stage.m[r][i + 1] * stage.n[i + 1][c];
      }
      __syncthreads();
    }
    if (row0 + r < m && col0 + c < n) P[(row0 + r) * n + col0 + c] = even + odd;
  }
}

template <int W>
__global__ void backwards(const float* M, const float* N, float* P, int m, int k, int n) {
  extern __shared__ __align__(16) unsigned char bytes[];
  using Tile = float[W][W];
  Tile& a = *reinterpret_cast<Tile*>(bytes);
  Tile& b = *reinterpret_cast<Tile*>(bytes + sizeof(Tile));
  const int r = threadIdx.z, c = threadIdx.x;
  const int row = blockIdx.y * W + r, col = blockIdx.x * W + c;
  float sum = 0;
  for (int phase = (k - 1) / W; phase >= 0; --phase) {
    const int kc = phase * W + c, kr = phase * W + r;
    a[r][c] = (row < m && kc < k) ? M[row * k + kc] : 0;
    b[r][c] = (col < n && kr < k) ? N[kr * n + col] : 0;
    __syncthreads();
#pragma unroll
    for (int i = W - 1; i >= 0; --i) sum += a[r][i] * b[i][c];
    __syncthreads();
  }
  if (row < m && col < n) P[row * n + col] = sum;
}

using Kernel = void (*)(const float*, const float*, float*, int, int, int);
struct Choice {
  int width;
  Kernel kernel;
};
const Choice kChoices[] = {{32, backwards<32>}, {16, backwards<16>}, {8, backwards<8>},
                           {4, backwards<4>},   {2, backwards<2>},   {1, backwards<1>}};

struct OwnStream {
  cudaStream_t handle{};
  OwnStream() { CUDA_CHECK(cudaStreamCreate(&handle)); }
  ~OwnStream() { cudaStreamDestroy(handle); }
};

}  // namespace

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  using S = Shape<32, 64, 32>;
  int sms = 0, per_sm = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, walk<S>, S::threads, 0));
  const OwnStream stream;
  cudaLaunchConfig_t launch{};
  launch.gridDim = std::min(sms * per_sm, lab::ceil_div(m, S::rows) * lab::ceil_div(n, S::cols));
  launch.blockDim = S::threads;
  launch.stream = stream.handle;
  CUDA_CHECK(cudaLaunchKernelEx(&launch, walk<S>, d_M, d_N, d_P, m, k, n));
}

void tiled_matmul_dynamic(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  cudaDeviceProp device;
  CUDA_CHECK(cudaGetDeviceProperties(&device, 0));
  const Choice& choice = *std::find_if(std::begin(kChoices), std::end(kChoices), [&](const Choice& c) {
    const size_t area = size_t(c.width) * c.width;
    return area <= size_t(device.maxThreadsPerBlock) && 2 * area * sizeof(float) <= device.sharedMemPerBlock;
  });
  const int w = choice.width;
  void* arguments[] = {&d_M, &d_N, &d_P, &m, &k, &n};
  CUDA_CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(choice.kernel),
                              dim3(lab::ceil_div(n, w), lab::ceil_div(m, w)), dim3(w, 1, w), arguments,
                              2 * w * w * sizeof(float), nullptr));
}
