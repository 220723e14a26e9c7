// Idea: no stream is created for the first slot: cudaStreamPerThread works next to non-blocking streams with
// priorities.

#include <algorithm>
#include <cstring>
#include <functional>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/pinned_streams.hpp"

__global__ void add_kernel(const float* a, const float* b, float* c, int length, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= length) return;
  float sum = a[i];
  for (int round = 0; round < rounds; ++round) sum += b[i];
  c[i] = sum;
}

// Unusual places for variables: statics live between calls; everything in them is freed before a function
// returns.
static cudaStream_t g_streams[3];
static float* g_device[3][3];
static float* g_host[3][3];

static void acquire(int sets, int segment, bool staged) {
  int low = 0, high = 0;
  CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&low, &high));
  g_streams[0] = cudaStreamPerThread;
  for (int s = 1; s < sets; ++s)
    CUDA_CHECK(cudaStreamCreateWithPriority(&g_streams[s], cudaStreamNonBlocking, s % 2 ? high : low));
  for (int s = 0; s < sets; ++s)
    for (int array = 0; array < 3; ++array) {
      CUDA_CHECK(cudaMalloc((void**)&g_device[s][array], sizeof(float) * segment));
      if (staged)
        CUDA_CHECK(cudaHostAlloc((void**)&g_host[s][array], sizeof(float) * segment, cudaHostAllocMapped));
    }
}

static void release(int sets, bool staged) {
  for (int s = 0; s < sets; ++s) {
    CUDA_CHECK(cudaStreamSynchronize(g_streams[s]));
    if (s > 0) CUDA_CHECK(cudaStreamDestroy(g_streams[s]));
    for (int array = 0; array < 3; ++array) {
      CUDA_CHECK(cudaFree(g_device[s][array]));
      if (staged) CUDA_CHECK(cudaFreeHost(g_host[s][array]));
    }
  }
}

static void in(int s, int array, const float* from, int length) {
  CUDA_CHECK(cudaMemcpyAsync(g_device[s][array], from, length * sizeof(float), cudaMemcpyHostToDevice,
                             g_streams[s]));
}
static void add(int s, int length, int rounds) {
  void* arguments[] = {&g_device[s][0], &g_device[s][1], &g_device[s][2], &length, &rounds};
  CUDA_CHECK(cudaLaunchKernel((void*)add_kernel, dim3(lab::ceil_div(length, 256)), dim3(256), arguments, 0,
                              g_streams[s]));
}
static void out(int s, float* to, int length) {
  CUDA_CHECK(
      cudaMemcpyAsync(to, g_device[s][2], length * sizeof(float), cudaMemcpyDeviceToHost, g_streams[s]));
}

void add_staged(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  acquire(2, segment, true);
  std::function<void()> collect[2] = {[] {}, [] {}};
  int s = 0;
  for (int first = 0; first < n; first += segment) {
    const int length = std::min(segment, n - first);
    collect[s]();
    memcpy(g_host[s][0], h_a + first, length * sizeof(float));
    in(s, 0, g_host[s][0], length);  // while this copy runs, the next one is prepared
    memcpy(g_host[s][1], h_b + first, length * sizeof(float));
    in(s, 1, g_host[s][1], length);
    add(s, length, rounds);
    out(s, g_host[s][2], length);
    collect[s] = [=] {
      CUDA_CHECK(cudaStreamSynchronize(g_streams[s]));
      memcpy(h_c + first, g_host[s][2], length * sizeof(float));
    };
    s = 1 - s;
  }
  collect[s]();
  collect[1 - s]();
  release(2, true);
}

void add_streams(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  // Two of the arrays can share a page, so each is registered on its own.
  float* arrays[3] = {const_cast<float*>(h_a), const_cast<float*>(h_b), h_c};
  for (float* array : arrays) CUDA_CHECK(cudaHostRegister(array, sizeof(float) * n, cudaHostRegisterDefault));
  acquire(2, segment, false);
  const auto part = [&](int first, auto step) {
    for (int s : {0, 1})
      if (const int at = first + s * segment, length = std::min(segment, n - at); length > 0)
        step(s, at, length);
  };
  for (int first = 0; first < n; first += 2 * segment) {
    part(first, [&](int s, int at, int length) { in(s, 0, h_a + at, length), in(s, 1, h_b + at, length); });
    part(first, [&](int s, int, int length) { add(s, length, rounds); });
    part(first, [&](int s, int at, int length) { out(s, h_c + at, length); });
  }
  release(2, false);
  for (float* array : arrays) CUDA_CHECK(cudaHostUnregister(array));
}

void device_facts(int* facts, int n) {
  const int device = 0;
  facts[0] = facts[1] = facts[2] = facts[3] = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&facts[0], cudaDevAttrAsyncEngineCount, device));
  if (facts[0] >= 1) facts[1] = 1;
  if (facts[0] >= 2) facts[2] = 1;
  cudaDeviceProp properties;
  CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
  const unsigned long long needed = 3ull * sizeof(float) * static_cast<unsigned long long>(n);
  if (needed <= properties.totalGlobalMem) facts[3] = 1;
}

void add_pipelined(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  acquire(3, segment, false);
  // From the last segment, the short one, to the first.
  for (int i = lab::ceil_div(n, segment) - 1, s = 0; i >= 0; --i, s = (s + 1) % 3) {
    const int at = i * segment, length = std::min(segment, n - at);
    in(s, 0, h_a + at, length);
    in(s, 1, h_b + at, length);
    add(s, length, rounds);
    out(s, h_c + at, length);
  }
  release(3, false);
}
