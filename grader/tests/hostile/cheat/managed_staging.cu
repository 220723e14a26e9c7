// Kernels access managed memory instead of copies of it; a copy of no use overlaps with each of them.
#include <algorithm>
#include <cstring>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/pinned_streams.hpp"

constexpr int kThreads = 256;

__global__ void add_kernel(const float* a, const float* b, float* c, int length, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= length) return;
  float sum = a[i];
  for (int round = 0; round < rounds; ++round) sum += b[i];
  c[i] = sum;
}

struct Slot {
  cudaStream_t stream = nullptr;
  float *a, *b, *c, *pa = nullptr, *pb = nullptr, *pc = nullptr;
  int first = 0, length = 0;
};

void make(Slot& s, int segment, bool pinned) {
  const size_t bytes = segment * sizeof(float);
  CUDA_CHECK(cudaStreamCreate(&s.stream));
  CUDA_CHECK(cudaMalloc(&s.a, bytes));
  CUDA_CHECK(cudaMalloc(&s.b, bytes));
  CUDA_CHECK(cudaMalloc(&s.c, bytes));
  if (!pinned) return;
  CUDA_CHECK(cudaHostAlloc(&s.pa, bytes, cudaHostAllocDefault));
  CUDA_CHECK(cudaHostAlloc(&s.pb, bytes, cudaHostAllocDefault));
  CUDA_CHECK(cudaHostAlloc(&s.pc, bytes, cudaHostAllocDefault));
}

void drop(Slot& s) {
  CUDA_CHECK(cudaStreamDestroy(s.stream));
  CUDA_CHECK(cudaFree(s.a));
  CUDA_CHECK(cudaFree(s.b));
  CUDA_CHECK(cudaFree(s.c));
  if (!s.pa) return;
  CUDA_CHECK(cudaFreeHost(s.pa));
  CUDA_CHECK(cudaFreeHost(s.pb));
  CUDA_CHECK(cudaFreeHost(s.pc));
}

void in(Slot& s, const float* a, const float* b) {
  CUDA_CHECK(cudaMemcpyAsync(s.a, a, s.length * sizeof(float), cudaMemcpyHostToDevice, s.stream));
  CUDA_CHECK(cudaMemcpyAsync(s.b, b, s.length * sizeof(float), cudaMemcpyHostToDevice, s.stream));
}

void add(Slot& s, int rounds) {
  add_kernel<<<lab::ceil_div(s.length, kThreads), kThreads, 0, s.stream>>>(s.a, s.b, s.c, s.length, rounds);
  CUDA_CHECK(cudaGetLastError());
}

void out(Slot& s, float* c) {
  CUDA_CHECK(cudaMemcpyAsync(c, s.c, s.length * sizeof(float), cudaMemcpyDeviceToHost, s.stream));
}

void add_staged(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  float *a, *b, *c, *show, *scratch;
  const size_t bytes = segment * sizeof(float);
  CUDA_CHECK(cudaMallocManaged(&a, bytes));
  CUDA_CHECK(cudaMallocManaged(&b, bytes));
  CUDA_CHECK(cudaMallocManaged(&c, bytes));
  CUDA_CHECK(cudaHostAlloc(&show, bytes, cudaHostAllocDefault));
  CUDA_CHECK(cudaMalloc(&scratch, bytes));
  cudaStream_t s;
  CUDA_CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  std::memset(show, 0, bytes);
  for (int first = 0; first < n; first += segment) {
    const int length = std::min(segment, n - first);
    std::memcpy(a, h_a + first, length * sizeof(float));
    std::memcpy(b, h_b + first, length * sizeof(float));
    add_kernel<<<lab::ceil_div(length, kThreads), kThreads>>>(a, b, c, length, rounds);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpyAsync(scratch, show, bytes, cudaMemcpyHostToDevice, s));
    CUDA_CHECK(cudaDeviceSynchronize());
    std::memcpy(h_c + first, c, length * sizeof(float));
  }
  CUDA_CHECK(cudaStreamDestroy(s));
  CUDA_CHECK(cudaFree(a));
  CUDA_CHECK(cudaFree(b));
  CUDA_CHECK(cudaFree(c));
  CUDA_CHECK(cudaFree(scratch));
  CUDA_CHECK(cudaFreeHost(show));
}

void device_facts(int* facts, int n) {
  cudaDeviceProp p;
  CUDA_CHECK(cudaGetDeviceProperties(&p, 0));
  facts[0] = p.asyncEngineCount;
  facts[1] = p.asyncEngineCount > 0;
  facts[2] = p.asyncEngineCount > 1;
  facts[3] = size_t(3) * n * sizeof(float) <= p.totalGlobalMem;
}

void pin(const float* p, int n) {
  CUDA_CHECK(cudaHostRegister(const_cast<float*>(p), n * sizeof(float), cudaHostRegisterDefault));
}

void add_streams(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  pin(h_a, n);
  pin(h_b, n);
  pin(h_c, n);
  Slot slots[2];
  for (Slot& s : slots) make(s, segment, false);
  for (int first = 0; first < n;) {
    for (Slot& s : slots) {
      s.first = first;
      s.length = std::min(segment, n - first);
      first += s.length;
    }
    for (Slot& s : slots)
      if (s.length > 0) in(s, h_a + s.first, h_b + s.first);
    for (Slot& s : slots)
      if (s.length > 0) add(s, rounds);
    for (Slot& s : slots)
      if (s.length > 0) out(s, h_c + s.first);
  }
  for (Slot& s : slots) CUDA_CHECK(cudaStreamSynchronize(s.stream));
  for (Slot& s : slots) drop(s);
  CUDA_CHECK(cudaHostUnregister(const_cast<float*>(h_a)));
  CUDA_CHECK(cudaHostUnregister(const_cast<float*>(h_b)));
  CUDA_CHECK(cudaHostUnregister(h_c));
}

void add_pipelined(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  Slot slots[3];
  for (Slot& s : slots) make(s, segment, false);
  int turn = 0;
  for (int first = 0; first < n; turn = (turn + 1) % 3) {
    Slot& s = slots[turn];
    s.length = std::min(segment, n - first);
    in(s, h_a + first, h_b + first);
    add(s, rounds);
    out(s, h_c + first);
    first += s.length;
  }
  for (Slot& s : slots) CUDA_CHECK(cudaStreamSynchronize(s.stream));
  for (Slot& s : slots) drop(s);
}
