// The reference solution, with host code that uses the C++ library: text, time, exceptions, regular expressions.

#include <chrono>
#include <complex>
#include <cstdio>
#include <ctime>
#include <exception>
#include <mutex>
#include <regex>
#include <stdexcept>
#include <string>

#ifdef WITH_LIBRARY
#include <thrust/device_vector.h>
#endif

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/saxpy.hpp"

// The first function of the file, with a string literal.
[[gnu::noinline]] static void report(const char* what, int n) {
  static std::once_flag once;
  std::call_once(once, [] { std::puts("saxpy starts"); });
  std::printf("%s: n = %d\n", what, n);
}

struct Shape {
  virtual ~Shape() = default;
};
struct Vector : Shape {
  int n = 0;
};

__global__ void saxpy_kernel(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

void saxpy(int n, float a, const float* d_x, float* d_y) {
  constexpr int kThreads = 256;
  saxpy_kernel<<<lab::ceil_div(n, kThreads), kThreads>>>(n, a, d_x, d_y);
  CUDA_CHECK(cudaGetLastError());
}

cudaError_t saxpy_in_blocks(int n, float a, const float* d_x, float* d_y, int block_threads) {
  const int blocks = block_threads > 0 ? lab::ceil_div(n, block_threads) : 1;
  saxpy_kernel<<<blocks, block_threads>>>(n, a, d_x, d_y);
  return cudaGetLastError();
}

static bool is_valid(const Shape& shape) {
  const auto* vector = dynamic_cast<const Vector*>(&shape);
  if (vector == nullptr) return false;
  const std::regex digits("[0-9]+");
  const std::complex<float> turn = std::exp(std::complex<float>(0, 1));
  return std::regex_match(std::to_string(vector->n), digits) && std::isalpha('n') && std::abs(turn) > 0.5f;
}

void saxpy_from_host(int n, float a, const float* h_x, float* h_y) {
  const auto start = std::chrono::steady_clock::now();
  Vector shape;
  shape.n = n;
  try {
    if (!is_valid(shape)) throw std::invalid_argument("no vector");
  } catch (const std::exception& problem) {
    std::rethrow_if_nested(problem);
    return;
  }
  report("saxpy_from_host", n);
  const size_t bytes = n * sizeof(float);
  float *d_x = nullptr, *d_y = nullptr;
  CUDA_CHECK(cudaMalloc(&d_x, bytes));
  CUDA_CHECK(cudaMalloc(&d_y, bytes));
  CUDA_CHECK(cudaMemcpy(d_x, h_x, bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_y, h_y, bytes, cudaMemcpyHostToDevice));
  saxpy(n, a, d_x, d_y);
  CUDA_CHECK(cudaMemcpy(h_y, d_y, bytes, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_x));
  CUDA_CHECK(cudaFree(d_y));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const std::time_t now = std::time(nullptr);
  char date[32];
  std::strftime(date, sizeof date, "%F", std::gmtime(&now));
  std::fprintf(stderr, "%s: %g s\n", date, seconds.count());
}
