// Idea: a generic `transform` kernel with a functor, whose type is checked; the operation is an object.

#include <memory>
#include <type_traits>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/saxpy.hpp"

struct Saxpy {
  float a;
  [[nodiscard]] __host__ __device__ constexpr float operator()(float x, float y) const { return a * x + y; }
};

template <class F>
__global__ void transform_kernel(int n, const float* x, float* y, F f) {
  const auto step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
    y[i] = f(x[i], y[i]);
}

template <class F>
cudaError_t transform(int n, const float* d_x, float* d_y, F f, dim3 grid, dim3 block) {
  static_assert(std::is_invocable_r_v<float, F, float, float>);
  transform_kernel<<<grid, block>>>(n, d_x, d_y, f);
  return cudaGetLastError();
}

void saxpy(int n, float a, const float* d_x, float* d_y) {
  CUDA_CHECK(transform(n, d_x, d_y, Saxpy{a}, {static_cast<unsigned>(lab::ceil_div(n, 256))}, {256}));
}

cudaError_t saxpy_in_blocks(int n, float a, const float* d_x, float* d_y, int block_threads) {
  cudaDeviceProp properties;
  if (const cudaError_t error = cudaGetDeviceProperties(&properties, 0); error != cudaSuccess) return error;
  if (block_threads < 1 || block_threads > properties.maxThreadsPerBlock)
    return cudaErrorInvalidConfiguration;
  return transform(n, d_x, d_y, Saxpy{a}, lab::ceil_div(n, block_threads), block_threads);
}

struct Free {
  void operator()(float* d_values) const { cudaFree(d_values); }
};

std::unique_ptr<float[], Free> on_device(const float* h_values, int n) {
  float* d_values = nullptr;
  CUDA_CHECK(cudaMalloc(&d_values, n * sizeof(float)));
  std::unique_ptr<float[], Free> owner(d_values);
  CUDA_CHECK(cudaMemcpy(d_values, h_values, n * sizeof(float), cudaMemcpyHostToDevice));
  return owner;
}

void saxpy_from_host(int n, float a, const float* h_x, float* h_y) {
  const auto x = on_device(h_x, n), y = on_device(h_y, n);
  saxpy(n, a, x.get(), y.get());
  CUDA_CHECK(cudaMemcpy(h_y, y.get(), n * sizeof(float), cudaMemcpyDeviceToHost));
}
