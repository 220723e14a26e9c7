// Mistake: the event for which the host waits is recorded before the copy to the host.

#include <algorithm>
#include <cstring>
#include <vector>

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

// A lane owns one stream, one event and one device allocation for three arrays.
class Lane {
 public:
  Lane(int cap, bool staging) : cap_(cap) {
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    CUDA_CHECK(cudaEventCreateWithFlags(&done_, cudaEventDisableTiming));
    CUDA_CHECK(cudaMalloc((void**)&dev_, 3 * size_t(cap) * sizeof(float)));
    if (staging) CUDA_CHECK(cudaMallocHost((void**)&pin_, 3 * size_t(cap) * sizeof(float)));
  }
  Lane(const Lane&) = delete;
  ~Lane() {
    CUDA_CHECK(cudaEventSynchronize(done_));
    if (pin_) CUDA_CHECK(cudaFreeHost(pin_));
    CUDA_CHECK(cudaFree(dev_));
    CUDA_CHECK(cudaEventDestroy(done_));
    CUDA_CHECK(cudaStreamDestroy(stream_));
  }
  void in(const float* a, const float* b, int len) {
    CUDA_CHECK(cudaMemcpyAsync(dev_, a, len * sizeof(float), cudaMemcpyHostToDevice, stream_));
    CUDA_CHECK(cudaMemcpyAsync(dev_ + cap_, b, len * sizeof(float), cudaMemcpyHostToDevice, stream_));
  }
  void work(int len, int rounds) {
    add_kernel<<<(len + 255) / 256, 256, 0, stream_>>>(dev_, dev_ + cap_, dev_ + 2 * cap_, len, rounds);
    CUDA_CHECK(cudaGetLastError());
  }
  void out(float* c, int len) {
    CUDA_CHECK(cudaEventRecord(done_, stream_));
    CUDA_CHECK(cudaMemcpyAsync(c, dev_ + 2 * cap_, len * sizeof(float), cudaMemcpyDeviceToHost, stream_));
  }
  // staging
  void flush() {
    if (!target_) return;
    CUDA_CHECK(cudaEventSynchronize(done_));
    std::memcpy(target_, pin_ + 2 * cap_, size_ * sizeof(float));
    target_ = nullptr;
  }
  void stage(const float* a, const float* b, float* c, int len, int rounds) {
    flush();
    std::copy(a, a + len, pin_);
    std::copy(b, b + len, pin_ + cap_);
    in(pin_, pin_ + cap_, len);
    work(len, rounds);
    out(pin_ + 2 * cap_, len);
    target_ = c;
    size_ = len;
  }

 private:
  int cap_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t done_ = nullptr;
  float* dev_ = nullptr;
  float* pin_ = nullptr;
  float* target_ = nullptr;
  int size_ = 0;
};

void add_staged(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  Lane even(segment, true), odd(segment, true);
  Lane* now = &even;
  Lane* next = &odd;
  for (int at = 0; at < n; at += segment) {
    now->stage(h_a + at, h_b + at, h_c + at, std::min(segment, n - at), rounds);
    std::swap(now, next);
  }
  now->flush();
  next->flush();
}

struct Pinned {
  void* p;
  Pinned(const float* q, int n) : p(const_cast<float*>(q)) {
    CUDA_CHECK(cudaHostRegister(p, n * sizeof(float), cudaHostRegisterPortable));
  }
  ~Pinned() { CUDA_CHECK(cudaHostUnregister(p)); }
};

void add_streams(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  Pinned pa(h_a, n), pb(h_b, n), pc(h_c, n);
  Lane l0(segment, false), l1(segment, false);
  const int pair = 2 * segment;
  for (int at = 0; at < n; at += pair) {
    const int first = std::min(segment, n - at);
    const int second = std::min(segment, n - at - first);
    l0.in(h_a + at, h_b + at, first);
    if (second > 0) l1.in(h_a + at + segment, h_b + at + segment, second);
    l0.work(first, rounds);
    if (second > 0) l1.work(second, rounds);
    l0.out(h_c + at, first);
    if (second > 0) l1.out(h_c + at + segment, second);
  }
}

void device_facts(int* facts, int n) {
  cudaDeviceProp p;
  CUDA_CHECK(cudaGetDeviceProperties(&p, 0));
  const int engines = p.asyncEngineCount;
  facts[0] = engines;
  facts[1] = engines > 0;
  facts[2] = engines > 1;
  facts[3] = p.totalGlobalMem / (3 * sizeof(float)) >= (size_t)n;
}

void add_pipelined(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  Lane l0(segment, false), l1(segment, false), l2(segment, false), l3(segment, false);
  Lane* ring[] = {&l0, &l1, &l2, &l3};
  const int count = (n + segment - 1) / segment;
  auto size = [=](int s) { return s == count - 1 ? n - s * segment : segment; };
  for (int s = 0; s < count + 1; ++s) {
    if (s < count) {
      Lane& l = *ring[s & 3];
      l.in(h_a + s * segment, h_b + s * segment, size(s));
      l.work(size(s), rounds);
    }
    if (s >= 1) ring[(s - 1) & 3]->out(h_c + (s - 1) * segment, size(s - 1));
  }
}
