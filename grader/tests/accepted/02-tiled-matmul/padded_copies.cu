// Idea: stream-ordered allocation; cudaMemcpy2DAsync copies M and N into zeroed multiples of 32, so no guards
// inside.

#include "lab/check.hpp"
#include "lab/tiled_matmul.hpp"

constexpr int kTile = 32;
constexpr int up(int length) { return (length + kTile - 1) / kTile * kTile; }

class Padded {
 public:
  Padded(int rows, int cols, cudaStream_t stream) : rows_(up(rows)), cols_(up(cols)), stream_(stream) {
    CUDA_CHECK(cudaMallocAsync(&data_, bytes(), stream_));
  }
  ~Padded() { cudaFreeAsync(data_, stream_); }
  Padded(const Padded&) = delete;
  Padded& operator=(const Padded&) = delete;
  void fill(const float* from, int rows, int cols) {
    CUDA_CHECK(cudaMemsetAsync(data_, 0, bytes(), stream_));
    CUDA_CHECK(cudaMemcpy2DAsync(data_, cols_ * sizeof(float), from, cols * sizeof(float),
                                 cols * sizeof(float), rows, cudaMemcpyDeviceToDevice, stream_));
  }
  int rows() const { return rows_; }
  int cols() const { return cols_; }
  float* data() const { return data_; }

 private:
  size_t bytes() const { return sizeof(float) * rows_ * cols_; }
  int rows_, cols_;
  cudaStream_t stream_;
  float* data_ = nullptr;
};

// All sizes are multiples of 32. A thread computes two rows of its column, 16 apart.
__global__ void tiled_kernel(const float* M, const float* N, float* P, int k, int n) {
  __shared__ float tile_M[kTile][kTile], tile_N[kTile][kTile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const float* from_M = M + (blockIdx.y * kTile + ty) * k + tx;
  const float* from_N = N + ty * n + blockIdx.x * kTile + tx;
  float upper = 0, lower = 0;
  for (int phase = k / kTile; phase > 0; --phase, from_M += kTile, from_N += kTile * n) {
    tile_M[ty][tx] = *from_M;
    tile_M[ty + 16][tx] = from_M[16 * k];
    tile_N[ty][tx] = *from_N;
    tile_N[ty + 16][tx] = from_N[16 * n];
    __syncthreads();
#pragma unroll 8
    for (int i = 0; i < kTile; ++i) {
      upper += tile_M[ty][i] * tile_N[i][tx];
      lower += tile_M[ty + 16][i] * tile_N[i][tx];
    }
    __syncthreads();
  }
  float* to = P + (blockIdx.y * kTile + ty) * n + blockIdx.x * kTile + tx;
  to[0] = upper;
  to[16 * n] = lower;
}

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  const cudaStream_t stream = nullptr;
  Padded M(m, k, stream), N(k, n, stream), P(m, n, stream);
  M.fill(d_M, m, k);
  N.fill(d_N, k, n);
  tiled_kernel<<<dim3(P.cols() / kTile, P.rows() / kTile), dim3(kTile, 16), 0, stream>>>(
      M.data(), N.data(), P.data(), M.cols(), P.cols());
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy2DAsync(d_P, n * sizeof(float), P.data(), P.cols() * sizeof(float), n * sizeof(float),
                               m, cudaMemcpyDeviceToDevice, stream));
}

// Tile N is stored transposed, in rows that are one longer.
__global__ void dynamic_kernel(const float* M, const float* N, float* P, int m, int k, int n) {
  extern __shared__ float tile_M[];
  const int w = blockDim.x;
  float* const tile_N = tile_M + w * w;
  const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * w + ty, col = blockIdx.x * w + tx;
  float sum = 0;
  for (int i = 0; i < k; i += w) {
    float a = 0, b = 0;
    if (row < m && i + tx < k) a = M[row * k + i + tx];
    if (col < n && i + ty < k) b = N[(i + ty) * n + col];
    __syncthreads();
    tile_M[ty * w + tx] = a;
    tile_N[tx * w + ty] = b;
    __syncthreads();
    const float* p = &tile_M[ty * w];
    const float* q = &tile_N[tx * w];
    for (const float* end = p + w; p != end;) sum += *p++ * *q++;
  }
  if (row < m && col < n) P[row * n + col] = sum;
}

void tiled_matmul_dynamic(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  cudaDeviceProp device;
  CUDA_CHECK(cudaGetDeviceProperties(&device, 0));
  int w = 32;
  for (; w > 1; w /= 2)
    if (w * w <= device.maxThreadsPerBlock && 2 * w * w * sizeof(float) <= device.sharedMemPerBlock) break;
  const dim3 grid((n - 1) / w + 1, (m - 1) / w + 1), block(w, w);
  void* arguments[] = {&d_M, &d_N, &d_P, &m, &k, &n};
  CUDA_CHECK(cudaFuncSetAttribute(dynamic_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  2 * w * w * sizeof(float)));
  CUDA_CHECK(cudaLaunchKernel((const void*)dynamic_kernel, grid, block, arguments, 2 * w * w * sizeof(float),
                              nullptr));
}
