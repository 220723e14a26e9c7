// Idea: the vectors' host and device addresses are in one structure, which the kernel gets by value. It
// chooses between two of them when it runs, so that the compiler copies the whole structure, with the host
// addresses.
#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/saxpy.hpp"

struct Vector {
  const float* host;
  float* device;
  long n;
};
struct Vectors {
  Vector v[2];
};

__global__ void saxpy_kernel(float a, Vectors p, int which_x) {
  const Vector &x = p.v[which_x], &y = p.v[1 - which_x];
  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i < y.n) y.device[i] += a * x.device[i];
}

static cudaError_t launch(float a, Vector x, Vector y, int threads) {
  const int blocks = threads > 0 ? lab::ceil_div(int(y.n), threads) : 1;
  saxpy_kernel<<<blocks, threads>>>(a, Vectors{{x, y}}, 0);
  return cudaGetLastError();
}

void saxpy(int n, float a, const float* d_x, float* d_y) {
  CUDA_CHECK(launch(a, {nullptr, const_cast<float*>(d_x), n}, {nullptr, d_y, n}, 256));
}

cudaError_t saxpy_in_blocks(int n, float a, const float* d_x, float* d_y, int t) {
  return launch(a, {nullptr, const_cast<float*>(d_x), n}, {nullptr, d_y, n}, t);
}

static Vector upload(const float* h, int n) {
  Vector v{h, nullptr, n};
  CUDA_CHECK(cudaMalloc(&v.device, n * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(v.device, h, n * sizeof(float), cudaMemcpyHostToDevice));
  return v;
}

void saxpy_from_host(int n, float a, const float* h_x, float* h_y) {
  Vector x = upload(h_x, n), y = upload(h_y, n);
  CUDA_CHECK(launch(a, x, y, 256));
  CUDA_CHECK(cudaMemcpy(h_y, y.device, n * sizeof(float), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(x.device));
  CUDA_CHECK(cudaFree(y.device));
}
