// The host function that delivers a segment is issued before its copy to the host.

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/pinned_streams.hpp"

namespace {
constexpr int kBlock = 256;
__global__ void k_add(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                      int len, int rounds) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < len; i += gridDim.x * blockDim.x) {
    float s = a[i];
    const float y = b[i];
    for (int r = 0; r != rounds; ++r) s += y;
    c[i] = s;
  }
}
struct Deliver {
  float* to;
  const float* from;
  int count;
};
void deliver(void* p) {
  auto* d = static_cast<Deliver*>(p);
  std::copy(d->from, d->from + d->count, d->to);
}
}  // namespace

void add_staged(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  constexpr int S = 2;
  float* pin;
  CUDA_CHECK(cudaHostAlloc(&pin, S * 3 * size_t(segment) * sizeof(float), cudaHostAllocPortable));
  float* dev;
  CUDA_CHECK(cudaMalloc(&dev, S * 3 * size_t(segment) * sizeof(float)));
  cudaStream_t st[S];
  int lo, hi;
  CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&lo, &hi));
  for (int s = 0; s < S; ++s)
    CUDA_CHECK(cudaStreamCreateWithPriority(&st[s], cudaStreamNonBlocking, s == 0 ? lo : hi));
  const int chunks = lab::ceil_div(n, segment);
  std::vector<Deliver> todo(chunks);
  for (int i = 0; i < chunks; ++i) {
    const int s = i % S;
    const int first = i * segment, len = std::min(segment, n - first);
    float* pa = pin + (3 * s + 0) * size_t(segment);
    float* pb = pin + (3 * s + 1) * size_t(segment);
    float* pc = pin + (3 * s + 2) * size_t(segment);
    float* da = dev + (3 * s + 0) * size_t(segment);
    float* db = dev + (3 * s + 1) * size_t(segment);
    float* dc = dev + (3 * s + 2) * size_t(segment);
    CUDA_CHECK(cudaStreamSynchronize(st[s]));
    std::memcpy(pa, h_a + first, len * sizeof(float));
    std::memcpy(pb, h_b + first, len * sizeof(float));
    CUDA_CHECK(cudaMemcpyAsync(da, pa, len * sizeof(float), cudaMemcpyHostToDevice, st[s]));
    CUDA_CHECK(cudaMemcpyAsync(db, pb, len * sizeof(float), cudaMemcpyHostToDevice, st[s]));
    k_add<<<lab::ceil_div(len, kBlock), kBlock, 0, st[s]>>>(da, db, dc, len, rounds);
    CUDA_CHECK(cudaPeekAtLastError());
    todo[i] = {h_c + first, pc, len};
    CUDA_CHECK(cudaLaunchHostFunc(st[s], deliver, &todo[i]));
    CUDA_CHECK(cudaMemcpyAsync(pc, dc, len * sizeof(float), cudaMemcpyDeviceToHost, st[s]));
  }
  for (auto s : st) {
    CUDA_CHECK(cudaStreamSynchronize(s));
    CUDA_CHECK(cudaStreamDestroy(s));
  }
  CUDA_CHECK(cudaFree(dev));
  CUDA_CHECK(cudaFreeHost(pin));
}

void add_streams(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  for (const void* p : {(const void*)h_a, (const void*)h_b, (const void*)h_c})
    CUDA_CHECK(cudaHostRegister(const_cast<void*>(p), size_t(n) * sizeof(float), cudaHostRegisterPortable));
  cudaStream_t left, right;
  CUDA_CHECK(cudaStreamCreate(&left));
  CUDA_CHECK(cudaStreamCreate(&right));
  cudaEvent_t fork, join;
  CUDA_CHECK(cudaEventCreate(&fork));
  CUDA_CHECK(cudaEventCreate(&join));
  float* dev[2];
  for (auto& d : dev) CUDA_CHECK(cudaMalloc(&d, 3 * size_t(segment) * sizeof(float)));
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CUDA_CHECK(cudaStreamBeginCapture(left, cudaStreamCaptureModeGlobal));
  CUDA_CHECK(cudaEventRecord(fork, left));
  CUDA_CHECK(cudaStreamWaitEvent(right, fork));
  for (int first = 0; first < n; first += 2 * segment) {
    const int at[2] = {first, first + segment};
    const int len[2] = {std::min(segment, n - at[0]), std::max(0, std::min(segment, n - at[1]))};
    cudaStream_t st[2] = {left, right};
    for (int s = 0; s < 2; ++s) {
      if (!len[s]) continue;
      CUDA_CHECK(cudaMemcpyAsync(dev[s], h_a + at[s], len[s] * sizeof(float), cudaMemcpyHostToDevice, st[s]));
      CUDA_CHECK(cudaMemcpyAsync(dev[s] + segment, h_b + at[s], len[s] * sizeof(float),
                                 cudaMemcpyHostToDevice, st[s]));
    }
    for (int s = 0; s < 2; ++s)
      if (len[s])
        k_add<<<lab::ceil_div(len[s], kBlock), kBlock, 0, st[s]>>>(dev[s], dev[s] + segment,
                                                                   dev[s] + 2 * segment, len[s], rounds);
    for (int s = 0; s < 2; ++s)
      if (len[s])
        CUDA_CHECK(cudaMemcpyAsync(h_c + at[s], dev[s] + 2 * segment, len[s] * sizeof(float),
                                   cudaMemcpyDeviceToHost, st[s]));
  }
  CUDA_CHECK(cudaEventRecord(join, right));
  CUDA_CHECK(cudaStreamWaitEvent(left, join));
  CUDA_CHECK(cudaStreamEndCapture(left, &graph));
  CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CUDA_CHECK(cudaGraphLaunch(exec, left));
  CUDA_CHECK(cudaStreamSynchronize(left));
  CUDA_CHECK(cudaGraphExecDestroy(exec));
  CUDA_CHECK(cudaGraphDestroy(graph));
  for (auto d : dev) CUDA_CHECK(cudaFree(d));
  CUDA_CHECK(cudaEventDestroy(fork));
  CUDA_CHECK(cudaEventDestroy(join));
  CUDA_CHECK(cudaStreamDestroy(left));
  CUDA_CHECK(cudaStreamDestroy(right));
  for (const void* p : {(const void*)h_a, (const void*)h_b, (const void*)h_c})
    CUDA_CHECK(cudaHostUnregister(const_cast<void*>(p)));
}

void device_facts(int* facts, int n) {
  auto attr = [](cudaDeviceAttr a) {
    int v;
    CUDA_CHECK(cudaDeviceGetAttribute(&v, a, 0));
    return v;
  };
  cudaDeviceProp prop;
  CUDA_CHECK(cudaGetDeviceProperties(&prop, 0));
  facts[0] = attr(cudaDevAttrAsyncEngineCount);
  facts[1] = facts[0] != 0;
  facts[2] = facts[0] > 1;
  facts[3] = prop.totalGlobalMem / sizeof(float) / 3 >= size_t(n);
}

void add_pipelined(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  constexpr int S = 3;
  cudaStream_t st[S];
  for (auto& s : st) CUDA_CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  float* dev[S];
  for (int s = 0; s < S; ++s)
    CUDA_CHECK(cudaMallocAsync(&dev[s], 3 * size_t(segment) * sizeof(float), st[s]));
  int s = 0;
  for (int first = 0; first < n; first += segment, s = (s + 1) % S) {
    const int len = std::min(segment, n - first);
    float *a = dev[s], *b = a + segment, *c = b + segment;
    CUDA_CHECK(cudaMemcpyAsync(a, h_a + first, len * sizeof(float), cudaMemcpyDefault, st[s]));
    CUDA_CHECK(cudaMemcpyAsync(b, h_b + first, len * sizeof(float), cudaMemcpyDefault, st[s]));
    k_add<<<std::min(lab::ceil_div(len, kBlock), 1024), kBlock, 0, st[s]>>>(a, b, c, len, rounds);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpyAsync(h_c + first, c, len * sizeof(float), cudaMemcpyDefault, st[s]));
  }
  for (int i = 0; i < S; ++i) {
    CUDA_CHECK(cudaFreeAsync(dev[i], st[i]));
    CUDA_CHECK(cudaStreamSynchronize(st[i]));
    CUDA_CHECK(cudaStreamDestroy(st[i]));
  }
}
