// Accepted: no padded copies. A block loads strips of d, 64 values long and 8 deep, into shared memory,
// with infinity where d has no values, and its threads read their 8 + 8 values from there: even fewer global
// loads.

#include <math.h>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/min_plus.hpp"

constexpr int kSide = 64;  // a block's elements of r along each side
constexpr int kDepth = 8;  // values of k in a strip
constexpr int kGroup = 8;  // threads along each side of a block
constexpr int kShare = 8;  // elements along each side that one thread computes

__device__ float distance(const float* d, int n, int i, int j) {
  return i < n && j < n ? d[i * n + j] : INFINITY;
}

__global__ void one_element_kernel(float* r, const float* d, int n) {
  const int here = blockIdx.x * blockDim.x + threadIdx.x;  // elements in the order of memory
  if (here >= n * n) return;
  const float* row = d + here / n * n;
  const float* column = d + here % n;
  float shortest = INFINITY;
  for (int k = 0; k < n; ++k) shortest = fminf(shortest, row[k] + column[k * n]);
  r[here] = shortest;
}

__global__ void copies_kernel(const float* in, float* padded, float* transposed, int n, int nn) {
  for (int here = blockIdx.x * blockDim.x + threadIdx.x; here < nn * nn; here += gridDim.x * blockDim.x) {
    const int i = here / nn, j = here % nn;
    padded[here] = distance(in, n, i, j);
    transposed[here] = distance(in, n, j, i);
  }
}

__global__ void strips_kernel(float* r, const float* d, int n) {
  __shared__ float left[kDepth]
                       [kSide + 1];  // left[q][i] = d[first_i + i][k + q]; a column of padding for the banks
  __shared__ float upper[kDepth][kSide];  // upper[q][j] = d[k + q][first_j + j]
  const int first_i = blockIdx.y * kSide, first_j = blockIdx.x * kSide;
  const int thread = threadIdx.y * kGroup + threadIdx.x;

  float shortest[kShare][kShare];
#pragma unroll
  for (int e = 0; e < kShare * kShare; ++e) shortest[e / kShare][e % kShare] = INFINITY;

  for (int k = 0; k < n; k += kDepth) {
#pragma unroll
    for (int q = 0; q < kDepth; ++q) {
      left[threadIdx.x][q * kGroup + threadIdx.y] =
          distance(d, n, first_i + q * kGroup + threadIdx.y, k + threadIdx.x);
      upper[q][thread] = distance(d, n, k + q, first_j + thread);
    }
    __syncthreads();
#pragma unroll
    for (int q = 0; q < kDepth; ++q) {
      float x[kShare], y[kShare];
#pragma unroll
      for (int e = 0; e < kShare; ++e) {
        x[e] = left[q][threadIdx.y + e * kGroup];
        y[e] = upper[q][threadIdx.x + e * kGroup];
      }
#pragma unroll
      for (int e = 0; e < kShare; ++e)
#pragma unroll
        for (int f = 0; f < kShare; ++f) shortest[e][f] = fminf(shortest[e][f], x[e] + y[f]);
    }
    __syncthreads();
  }

#pragma unroll
  for (int e = 0; e < kShare; ++e)
#pragma unroll
    for (int f = 0; f < kShare; ++f) {
      const int i = first_i + threadIdx.y + e * kGroup, j = first_j + threadIdx.x + f * kGroup;
      if (i < n && j < n) r[i * n + j] = shortest[e][f];
    }
}

// Runs `launch(d_r, d_d)` between the copies.
template <class Launch>
void on_device(float* r, const float* d, int n, Launch launch) {
  const size_t bytes = sizeof(float) * n * n;
  float *d_d, *d_r;
  CUDA_CHECK(cudaMalloc(&d_d, bytes));
  CUDA_CHECK(cudaMalloc(&d_r, bytes));
  CUDA_CHECK(cudaMemcpy(d_d, d, bytes, cudaMemcpyHostToDevice));
  launch(d_r, d_d);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(r, d_r, bytes, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_r));
  CUDA_CHECK(cudaFree(d_d));
}

void step_v1(float* r, const float* d, int n) {
  on_device(r, d, n, [n](float* d_r, const float* d_d) {
    one_element_kernel<<<lab::ceil_div(n * n, 256), 256>>>(d_r, d_d, n);
  });
}

void pad_transpose(const float* d_in, float* d_padded, float* d_transposed, int n, int nn) {
  copies_kernel<<<64, 128>>>(d_in, d_padded, d_transposed, n, nn);
  CUDA_CHECK(cudaGetLastError());
}

void step(float* r, const float* d, int n) {
  on_device(r, d, n, [n](float* d_r, const float* d_d) {
    const int blocks = lab::ceil_div(n, kSide);
    strips_kernel<<<dim3(blocks, blocks), dim3(kGroup, kGroup)>>>(d_r, d_d, n);
  });
}
