// Idea: one dynamic array of bytes with tiles of different types; Kahan sums; error handling by exceptions.

#include <cstddef>
#include <stdexcept>
#include <string>

#include "lab/tiled_matmul.hpp"

namespace {

void check(cudaError_t error, const char* what) {
  if (error != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}
constexpr unsigned blocks(int length, int piece) { return (length + piece - 1) / piece; }

struct Sum {
  float value = 0, rest = 0;
  __device__ Sum& operator+=(float term) {
    const float corrected = __fsub_rn(term, rest), next = __fadd_rn(value, corrected);
    rest = isinf(next) ? 0 : __fsub_rn(__fsub_rn(next, value), corrected);  // infinity - infinity is NaN
    value = next;
    return *this;
  }
};

struct Tiles {
  float M[16][16];
  float N[16][16];
  int2 corner;  // of this block's tile of P
  bool at_edge;
};

__global__ void tiled_kernel(const float* __restrict__ M, const float* __restrict__ N, float* P, int3 size) {
  extern __shared__ __align__(16) std::byte bytes[];
  Tiles& tiles = *reinterpret_cast<Tiles*>(bytes);
  const int m = size.x, k = size.y, n = size.z;
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    tiles.corner = make_int2(blockIdx.y * 16, blockIdx.x * 16);
    tiles.at_edge = tiles.corner.x + 16 > m || tiles.corner.y + 16 > n;
  }
  __syncthreads();
  const int ty = threadIdx.y, tx = threadIdx.x, row = tiles.corner.x + ty, col = tiles.corner.y + tx;
  const bool edge = tiles.at_edge;
  Sum sum;
  for (int i = 0; i < k; i += 16) {
    if (!edge && i + 16 <= k) {
      tiles.M[ty][tx] = M[row * k + i + tx];
      tiles.N[ty][tx] = N[(i + ty) * n + col];
    } else {
      tiles.M[ty][tx] = row < m && i + tx < k ? M[row * k + i + tx] : 0;
      tiles.N[ty][tx] = i + ty < k && col < n ? N[(i + ty) * n + col] : 0;
    }
    __syncthreads();
    float part = 0;
    for (int j = 0; j < 16; ++j) part += tiles.M[ty][j] * tiles.N[j][tx];
    sum += part;
    __syncthreads();
  }
  if (!edge || (row < m && col < n)) P[row * n + col] = sum.value;
}

__global__ void dynamic_kernel(const float* M, const float* N, float* P, int3 size, int w) {
  extern __shared__ __align__(16) std::byte bytes[];
  auto* tile_M = reinterpret_cast<float*>(bytes);
  auto* tile_N = reinterpret_cast<float*>(bytes + w * w * sizeof(float));
  const int ty = threadIdx.x / w, tx = threadIdx.x - ty * w, row = blockIdx.y * w + ty,
            col = blockIdx.x * w + tx;
  float sum = 0;
  for (int i = 0; i < size.y; i += w) {
    tile_M[threadIdx.x] = row < size.x && i + tx < size.y ? M[row * size.y + i + tx] : 0;
    tile_N[threadIdx.x] = i + ty < size.y && col < size.z ? N[(i + ty) * size.z + col] : 0;
    __syncthreads();
    for (int j = 0; j < w; ++j) sum = __fmaf_rn(tile_M[ty * w + j], tile_N[j * w + tx], sum);
    __syncthreads();
  }
  if (row < size.x && col < size.z) P[row * size.z + col] = sum;
}

}  // namespace

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) try {
  tiled_kernel<<<dim3(blocks(n, 16), blocks(m, 16)), dim3(16, 16), sizeof(Tiles)>>>(d_M, d_N, d_P,
                                                                                    make_int3(m, k, n));
  check(cudaGetLastError(), "tiled_kernel");
} catch (const std::runtime_error& error) {
  std::printf("%s\n", error.what());
  throw;
}

void tiled_matmul_dynamic(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  const auto attribute = [](cudaDeviceAttr which) {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, which, 0), "cudaDeviceGetAttribute");
    return value;
  };
  const int threads = attribute(cudaDevAttrMaxThreadsPerBlock);
  const int bytes = attribute(cudaDevAttrMaxSharedMemoryPerBlock);
  int w = 32;
  while (w > 1 && (w * w > threads || 8 * w * w > bytes)) w /= 2;
  dynamic_kernel<<<dim3(blocks(n, w), blocks(m, w)), w * w, 8 * w * w>>>(d_M, d_N, d_P, {m, k, n}, w);
  check(cudaGetLastError(), "dynamic_kernel");
}
