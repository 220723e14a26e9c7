// The baseline of 05-pinned-streams: one set of buffers, the default stream, blocking copies from and to
// pageable arrays, and a wait for the whole device after every kernel. Nothing overlaps. It frees no memory,
// so that it misses the objectives on resources that are not freed.
#include <algorithm>

#include <cuda_runtime.h>

#include "lab/pinned_streams.hpp"

namespace {

constexpr int kThreads = 256;

__global__ void add_kernel(const float* a, const float* b, float* c, int length, int rounds) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= length) return;
  float sum = a[i];
  for (int round = 0; round < rounds; ++round) sum += b[i];
  c[i] = sum;
}

void add(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  float* buffers[3];
  for (float*& buffer : buffers) cudaMalloc(&buffer, segment * sizeof(float));
  for (int first = 0; first < n; first += segment) {
    const int length = std::min(segment, n - first);
    const std::size_t bytes = length * sizeof(float);
    cudaMemcpy(buffers[0], h_a + first, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(buffers[1], h_b + first, bytes, cudaMemcpyHostToDevice);
    add_kernel<<<(length + kThreads - 1) / kThreads, kThreads>>>(buffers[0], buffers[1], buffers[2], length,
                                                                 rounds);
    cudaDeviceSynchronize();
    cudaMemcpy(h_c + first, buffers[2], bytes, cudaMemcpyDeviceToHost);
  }
}

}  // namespace

void add_staged(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  add(h_a, h_b, h_c, n, segment, rounds);
}

void add_streams(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  add(h_a, h_b, h_c, n, segment, rounds);
}

void add_pipelined(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  add(h_a, h_b, h_c, n, segment, rounds);
}

void device_facts(int* facts, int n) {
  cudaDeviceProp device;
  cudaGetDeviceProperties(&device, 0);
  facts[0] = device.asyncEngineCount;
  facts[1] = device.asyncEngineCount > 0;
  facts[2] = device.asyncEngineCount > 1;
  facts[3] = 3 * n * sizeof(float) <= device.totalGlobalMem;
}
