// Accepted: one allocation for both padded copies, freed by a destructor; a thread's 8 rows and 8 columns are
// neighbours, so that two loads of 16 bytes fetch 8 values. The loop over k goes to nn: padding is never the
// least.

#include <cmath>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/min_plus.hpp"

namespace {

class DeviceArray {
 public:
  explicit DeviceArray(size_t count) : bytes_(count * sizeof(float)) {
    CUDA_CHECK(cudaMalloc(&data_, bytes_));
  }
  ~DeviceArray() { CUDA_CHECK(cudaFree(data_)); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  float* data() const { return data_; }
  void fill_from(const float* host) const {
    CUDA_CHECK(cudaMemcpy(data_, host, bytes_, cudaMemcpyHostToDevice));
  }
  void copy_to(float* host) const { CUDA_CHECK(cudaMemcpy(host, data_, bytes_, cudaMemcpyDeviceToHost)); }

 private:
  size_t bytes_;
  float* data_ = nullptr;
};

// A row of threads for each row of r: the whole warp shares d[i][k].
__global__ void row_kernel(float* r, const float* d, int n) {
  const int i = blockIdx.y;
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= n) return;
  float best = d[i * n] + d[j];
  for (int k = 1; k < n; ++k) best = min(best, d[i * n + k] + d[k * n + j]);
  r[i * n + j] = best;
}

__global__ void pad_kernel(const float* in, float* padded, float* transposed, int n, int nn) {
  __shared__ float tile[32][33];  // padded by one column, so that its columns are in different banks
  const int i = blockIdx.y * 32 + threadIdx.y;
  const int j = blockIdx.x * 32 + threadIdx.x;
  tile[threadIdx.y][threadIdx.x] = i < n && j < n ? in[i * n + j] : HUGE_VALF;
  padded[i * nn + j] = tile[threadIdx.y][threadIdx.x];
  __syncthreads();
  const int row = blockIdx.x * 32 + threadIdx.y;
  transposed[row * nn + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

__device__ void load_8(float* values, const float* from) {
  const float4 low = reinterpret_cast<const float4*>(from)[0];
  const float4 high = reinterpret_cast<const float4*>(from)[1];
  values[0] = low.x, values[1] = low.y, values[2] = low.z, values[3] = low.w;
  values[4] = high.x, values[5] = high.y, values[6] = high.z, values[7] = high.w;
}

__global__ void block_kernel(float* r, const float* d, const float* t, int n, int nn) {
  const int i = blockIdx.y * 64 + threadIdx.y * 8;
  const int j = blockIdx.x * 64 + threadIdx.x * 8;
  float best[64];
#pragma unroll
  for (int e = 0; e < 64; ++e) best[e] = HUGE_VALF;
  for (int k = 0; k < nn; ++k) {
    float x[8], y[8];
    load_8(x, t + k * nn + i);
    load_8(y, d + k * nn + j);
#pragma unroll
    for (int e = 0; e < 64; ++e) best[e] = min(best[e], x[e / 8] + y[e % 8]);
  }
#pragma unroll
  for (int e = 0; e < 64; ++e)
    if (i + e / 8 < n && j + e % 8 < n) r[(i + e / 8) * n + j + e % 8] = best[e];
}

}  // namespace

void step_v1(float* r, const float* d, int n) {
  const DeviceArray d_d(size_t(n) * n), d_r(size_t(n) * n);
  d_d.fill_from(d);
  row_kernel<<<dim3(lab::ceil_div(n, 128), n), 128>>>(d_r.data(), d_d.data(), n);
  CUDA_CHECK(cudaGetLastError());
  d_r.copy_to(r);
}

void pad_transpose(const float* d_in, float* d_padded, float* d_transposed, int n, int nn) {
  pad_kernel<<<dim3(nn / 32, nn / 32), dim3(32, 32)>>>(d_in, d_padded, d_transposed, n, nn);
  CUDA_CHECK(cudaGetLastError());
}

void step(float* r, const float* d, int n) {
  const int tiles = lab::ceil_div(n, 64);
  const int nn = 64 * tiles;
  const DeviceArray d_d(size_t(n) * n), d_r(size_t(n) * n), copies(size_t(2) * nn * nn);
  float* padded = copies.data();
  float* transposed = padded + size_t(nn) * nn;
  d_d.fill_from(d);
  pad_transpose(d_d.data(), padded, transposed, n, nn);
  block_kernel<<<dim3(tiles, tiles), dim3(8, 8)>>>(d_r.data(), padded, transposed, n, nn);
  CUDA_CHECK(cudaGetLastError());
  d_r.copy_to(r);
}
