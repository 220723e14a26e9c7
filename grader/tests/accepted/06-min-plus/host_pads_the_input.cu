// Idea: step pads and transposes on the host and uploads both matrices; blocks in Z-order; operands from 2D
// pitched memory.

#include <algorithm>
#include <cmath>
#include <vector>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/min_plus.hpp"

__global__ void step_v1_kernel(float* r, size_t r_pitch, const float* d, size_t d_pitch, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n) return;
  float least = HUGE_VALF;
#pragma unroll 4
  for (int k = 0; k < n; ++k) least = fminf(least, __ldg(d + i * d_pitch + k) + __ldg(d + k * d_pitch + j));
  r[i * r_pitch + j] = least;
}

// Rows begin at multiples of the device's pitch.
void step_v1(float* r, const float* d, int n) {
  float *d_d, *d_r;
  size_t d_pitch, r_pitch;
  const size_t row = n * sizeof(float);
  CUDA_CHECK(cudaMallocPitch(&d_d, &d_pitch, row, n));
  CUDA_CHECK(cudaMallocPitch(&d_r, &r_pitch, row, n));
  CUDA_CHECK(cudaMemcpy2D(d_d, d_pitch, d, row, row, n, cudaMemcpyHostToDevice));
  const dim3 block(32, 4), grid(lab::ceil_div(n, 32), lab::ceil_div(n, 4));
  step_v1_kernel<<<grid, block>>>(d_r, r_pitch / sizeof(float), d_d, d_pitch / sizeof(float), n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy2D(r, row, d_r, r_pitch, row, n, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_d));
  CUDA_CHECK(cudaFree(d_r));
}

__global__ void pad_kernel(const float* in, float* padded, float* transposed, int n, int nn) {
  for (int t = blockIdx.x * blockDim.x + threadIdx.x; t < nn * nn; t += gridDim.x * blockDim.x) {
    const int i = t / nn, j = t % nn;
    padded[t] = max(i, j) < n ? in[i * n + j] : __int_as_float(0x7f800000);
    transposed[t] = max(i, j) < n ? in[j * n + i] : __int_as_float(0x7f800000);
  }
}

void pad_transpose(const float* d_in, float* d_padded, float* d_transposed, int n, int nn) {
  pad_kernel<<<32, 256>>>(d_in, d_padded, d_transposed, n, nn);
  CUDA_CHECK(cudaGetLastError());
}

__device__ int compact(int bits) {
  int value = 0;
  for (int b = 0; b < 7; ++b) value |= (bits >> (2 * b) & 1) << b;
  return value;
}

constexpr int kEach = 8;

__global__ void step_kernel(float* r, const float* d, const float* t, int n, int nn) {
  const int x = compact(blockIdx.x), y = compact(blockIdx.x >> 1);
  if (x * 64 >= nn || y * 64 >= nn) return;
  const int i0 = y * 64 + threadIdx.y, j0 = x * 64 + threadIdx.x;
  float least[kEach][kEach];
#pragma unroll
  for (auto& row : least)
#pragma unroll
    for (float& value : row) value = HUGE_VALF;
  for (int k = 0; k < n; ++k) {
    float column[kEach], row[kEach];
#pragma unroll
    for (int e = 0; e < kEach; ++e) column[e] = t[k * nn + i0 + 8 * e];
#pragma unroll
    for (int e = 0; e < kEach; ++e) row[e] = d[k * nn + j0 + 8 * e];
#pragma unroll
    for (int a = 0; a < kEach; ++a)
#pragma unroll
      for (int b = 0; b < kEach; ++b) {
        const float sum = column[a] + row[b];
        asm("min.f32 %0, %0, %1;" : "+f"(least[a][b]) : "f"(sum));
      }
  }
#pragma unroll
  for (int a = 0; a < kEach; ++a)
#pragma unroll
    for (int b = 0; b < kEach; ++b) {
      const int i = i0 + 8 * a, j = j0 + 8 * b;
      if (i < n && j < n) r[i * n + j] = least[a][b];
    }
}

void step(float* r, const float* d, int n) {
  const int tiles = lab::ceil_div(n, 64), nn = tiles * 64;
  std::vector<float> padded(nn * nn, HUGE_VALF), transposed(nn * nn, HUGE_VALF);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) padded[i * nn + j] = transposed[j * nn + i] = d[i * n + j];
  float *d_r, *d_d, *d_t;
  CUDA_CHECK(cudaMalloc(&d_r, n * n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&d_d, nn * nn * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&d_t, nn * nn * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(d_d, padded.data(), nn * nn * sizeof(float), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_t, transposed.data(), nn * nn * sizeof(float), cudaMemcpyHostToDevice));
  int side = 1;
  while (side < tiles) side *= 2;
  step_kernel<<<side * side, dim3(8, 8)>>>(d_r, d_d, d_t, n, nn);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(r, d_r, n * n * sizeof(float), cudaMemcpyDeviceToHost));
  for (float* memory : {d_r, d_d, d_t}) CUDA_CHECK(cudaFree(memory));
}
