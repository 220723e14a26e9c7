// Idea: a fixed number of persistent blocks takes tiles of P in Z-order; sums in double; matrix views with
// lambdas.

#include "lab/check.hpp"
#include "lab/tiled_matmul.hpp"

template <class T>
struct View {
  T* data;
  int rows, cols;
  [[nodiscard]] __device__ bool has(int r, int c) const { return r < rows && c < cols; }
  [[nodiscard]] __device__ T& operator()(int r, int c) const {
    return data[static_cast<size_t>(r) * cols + c];
  }
  [[nodiscard]] __device__ float get(int r, int c) const { return has(r, c) ? (*this)(r, c) : 0.0f; }
};

__device__ unsigned even_bits(unsigned v) {
  v &= 0x55555555u;
  v = (v | v >> 1) & 0x33333333u;
  v = (v | v >> 2) & 0x0f0f0f0fu;
  v = (v | v >> 4) & 0x00ff00ffu;
  return (v | v >> 8) & 0x0000ffffu;
}

constexpr int kWidth = 16;

// P consists of squares of side × side tiles, one after another along its longer side.
__global__ void tiled_kernel(View<const float> M, View<const float> N, View<float> P, unsigned side,
                             unsigned tiles) {
  __shared__ float tile_M[kWidth][kWidth], tile_N[kWidth][kWidth];
  const int tx = threadIdx.x, ty = threadIdx.y;
  for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const unsigned square = tile / (side * side) * side, inside = tile % (side * side);
    const int row0 = (even_bits(inside >> 1) + (P.rows > P.cols ? square : 0)) * kWidth;
    const int col0 = (even_bits(inside) + (P.rows > P.cols ? 0 : square)) * kWidth;
    if (!P.has(row0, col0)) continue;  // the same for the whole block
    double sum = 0;
    for (int i = 0; i < M.cols; i += kWidth) {
      tile_M[ty][tx] = M.get(row0 + ty, i + tx);
      tile_N[ty][tx] = N.get(i + ty, col0 + tx);
      __syncthreads();
      float part = 0;
#pragma unroll
      for (int j = 0; j < kWidth; ++j) part += tile_M[ty][j] * tile_N[j][tx];
      sum += part;
      __syncthreads();
    }
    if (P.has(row0 + ty, col0 + tx)) P(row0 + ty, col0 + tx) = static_cast<float>(sum);
  }
}

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  const unsigned across = ((m > n ? n : m) + kWidth - 1) / kWidth,
                 along = ((m > n ? m : n) + kWidth - 1) / kWidth;
  unsigned side = 1;
  while (side < across) side *= 2;
  const unsigned tiles = (along + side - 1) / side * side * side;
  tiled_kernel<<<16 * 8, dim3(kWidth, kWidth)>>>({d_M, m, k}, {d_N, k, n}, {d_P, m, n}, side, tiles);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void dynamic_kernel(View<const float> M, View<const float> N, View<float> P) {
  extern __shared__ float tiles[];
  const int w = blockDim.y;
  const View<float> tile_M{tiles, w, w}, tile_N{tiles + w * w, w, w};
  const int ty = threadIdx.y, tx = threadIdx.x, row = blockIdx.y * w + ty, col = blockIdx.x * w + tx;
  float sum = 0;
  const auto phase = [&](int i) {
    tile_M(ty, tx) = M.get(row, i + tx);
    tile_N(ty, tx) = N.get(i + ty, col);
    __syncthreads();
    for (int j = 0; j < w; ++j) sum += tile_M(ty, j) * tile_N(j, tx);
    __syncthreads();
  };
  for (int i = 0; i < M.cols; i += w) phase(i);
  if (P.has(row, col)) P(row, col) = sum;
}

void tiled_matmul_dynamic(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  static int threads = 0, bytes = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerBlock, 0));
  CUDA_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlock, 0));
  unsigned w = 64;
  do w /= 2;
  while (w > 1 && (static_cast<int>(w * w) > threads || static_cast<int>(8 * w * w) > bytes));
  dynamic_kernel<<<dim3((n + w - 1) / w, (m + w - 1) / w), dim3(w, w), 8 * w * w>>>({d_M, m, k}, {d_N, k, n},
                                                                                    {d_P, m, n});
  CUDA_CHECK(cudaGetLastError());
}
