// Idea: the matrix comes and goes in halves on two streams, ordered by events; exceptions; integer keys.

#include <cmath>
#include <stdexcept>

#include <cooperative_groups.h>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/min_plus.hpp"

namespace cg = cooperative_groups;

void ok(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(size_t size) : size_(size) { ok(cudaMalloc(&data_, size * sizeof(T))); }
  DeviceArray(DeviceArray&& other) noexcept : data_(other.data_), size_(other.size_) {
    other.data_ = nullptr;
  }
  ~DeviceArray() {
    if (data_ != nullptr) cudaFree(data_);
  }
  T* get() const { return data_; }
  size_t bytes() const { return size_ * sizeof(T); }

 private:
  T* data_ = nullptr;
  size_t size_;
};

// Floats as integers in the same order, so that integer minima do.
__device__ int key(float value) {
  const int bits = __float_as_int(value);
  return bits >= 0 ? bits : bits ^ 0x7fffffff;
}
__device__ float from_key(int key) { return __int_as_float(key >= 0 ? key : key ^ 0x7fffffff); }

__global__ void step_v1_kernel(float* r, const float* d, int n) {
  const auto block = cg::this_thread_block();
  const int i = block.group_index().y * 16 + block.thread_rank() / 16,
            j = block.group_index().x * 16 + block.thread_rank() % 16;
  if (i >= n || j >= n) return;
  int least = key(INFINITY);
  for (int k = 0; k < n; ++k) least = min(least, key(d[i * n + k] + d[k * n + j]));
  r[i * n + j] = from_key(least);
}

void step_v1(float* r, const float* d, int n) try {
  const DeviceArray<float> in(n * n);
  DeviceArray<float> made(n * n);
  const DeviceArray<float> out = std::move(made);
  ok(cudaMemcpy(in.get(), d, in.bytes(), cudaMemcpyDefault));
  step_v1_kernel<<<dim3(lab::ceil_div(n, 16), lab::ceil_div(n, 16)), 256>>>(out.get(), in.get(), n);
  ok(cudaGetLastError());
  ok(cudaMemcpy(r, out.get(), out.bytes(), cudaMemcpyDefault));
} catch (const std::runtime_error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  std::exit(1);
}

__global__ void pad_transpose_kernel(const float* in, float* padded, float* transposed, int n, int nn) {
  const auto rank = cg::this_grid().thread_rank();
  const int i = rank / nn, j = rank % nn;
  float value = INFINITY;
  if (i < n && j < n) value = in[i * n + j];
  padded[rank] = value;
  transposed[static_cast<size_t>(j) * nn + i] = value;
}

void pad_transpose(const float* d_in, float* d_padded, float* d_transposed, int n, int nn) {
  pad_transpose_kernel<<<nn * nn / 256, 256>>>(d_in, d_padded, d_transposed, n, nn);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void step_kernel(float* r, const float* d, const float* t, int n, int nn) {
  const auto block = cg::this_thread_block();
  const int ty = block.thread_rank() / 8, tx = block.thread_rank() % 8;
  const int i0 = blockIdx.y * 64 + ty, j0 = blockIdx.x * 64 + tx;
  struct {
    float at[8][8];
  } least;
#pragma unroll
  for (int q = 0; q < 64; ++q) least.at[q / 8][q % 8] = INFINITY;
#pragma unroll 1
  for (int k = n - 1; k >= 0; --k) {
    float x[8], y[8];
#pragma unroll
    for (int q = 0; q < 8; ++q) x[q] = __ldg(&t[k * nn + i0 + 8 * q]);
#pragma unroll
    for (int q = 0; q < 8; ++q) y[q] = __ldg(&d[k * nn + j0 + 8 * q]);
#pragma unroll
    for (int b = 0; b < 8; ++b)
#pragma unroll
      for (int a = 0; a < 8; ++a) least.at[a][b] = fminf(x[a] + y[b], least.at[a][b]);
  }
#pragma unroll
  for (int b = 0; b < 8; ++b)
#pragma unroll
    for (int a = 0; a < 8; ++a)
      if (i0 + 8 * a < n && j0 + 8 * b < n) r[(i0 + 8 * a) * n + j0 + 8 * b] = least.at[a][b];
}

void step(float* r, const float* d, int n) {
  const int tiles = lab::ceil_div(n, 64), nn = tiles * 64;
  const DeviceArray<float> in(n * n), out(n * n), padded(nn * nn), transposed(nn * nn);
  ok(cudaHostRegister(r, out.bytes(), cudaHostRegisterDefault));
  ok(cudaHostRegister(const_cast<float*>(d), in.bytes(), cudaHostRegisterReadOnly));
  cudaStream_t streams[2];
  cudaEvent_t events[2];
  const size_t half = size_t(n) * n / 2, begin[2] = {0, half}, size[2] = {half, size_t(n) * n - half};
  for (int h = 0; h < 2; ++h) {
    ok(cudaStreamCreate(&streams[h]));
    ok(cudaEventCreateWithFlags(&events[h], cudaEventDisableTiming));
    ok(cudaMemcpyAsync(in.get() + begin[h], d + begin[h], size[h] * sizeof(float), cudaMemcpyDefault,
                       streams[h]));
  }
  // The default stream waits for both halves, and both streams wait for it.
  pad_transpose(in.get(), padded.get(), transposed.get(), n, nn);
  step_kernel<<<dim3(tiles, tiles), 64>>>(out.get(), padded.get(), transposed.get(), n, nn);
  ok(cudaGetLastError());
  for (int h = 1; h >= 0; --h) {
    ok(cudaMemcpyAsync(r + begin[h], out.get() + begin[h], size[h] * sizeof(float), cudaMemcpyDefault,
                       streams[h]));
    ok(cudaEventRecord(events[h], streams[h]));
  }
  for (int h = 0; h < 2; ++h) {
    cudaError_t state = cudaErrorNotReady;
    while (state == cudaErrorNotReady) state = cudaEventQuery(events[h]);
    ok(state);
    ok(cudaEventDestroy(events[h]));
    ok(cudaStreamDestroy(streams[h]));
  }
  ok(cudaHostUnregister(const_cast<float*>(d)));
  ok(cudaHostUnregister(r));
}
