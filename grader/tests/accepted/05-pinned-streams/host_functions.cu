// Idea: host functions in the streams (cudaLaunchHostFunc) move results out of the staging buffers and keep
// the books.

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>

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

// What a host function does when the stream reaches it. It calls no CUDA function.
struct Move {
  float* to;
  const float* from;
  int length;
  int* finished;
};
void CUDART_CB move(void* data) {
  const Move& m = *static_cast<const Move*>(data);
  std::memcpy(m.to, m.from, m.length * sizeof(float));
  ++*m.finished;
}

template <class T, cudaError_t (*kFree)(T*)>
struct Deleter {
  void operator()(void* p) const { CUDA_CHECK(kFree(static_cast<T*>(p))); }
};
using Device = std::unique_ptr<float[], Deleter<void, cudaFree>>;
using Pinned = std::unique_ptr<float[], Deleter<void, cudaFreeHost>>;
Device on_device(int n) {
  float* p = nullptr;
  CUDA_CHECK(cudaMalloc(&p, n * sizeof(float)));
  return Device(p);
}
Pinned pinned(int n, unsigned flags) {
  float* p = nullptr;
  CUDA_CHECK(cudaHostAlloc(&p, n * sizeof(float), flags));
  return Pinned(p);
}
struct Stream {
  cudaStream_t it;
  Stream() { CUDA_CHECK(cudaStreamCreateWithFlags(&it, cudaStreamNonBlocking)); }
  ~Stream() { CUDA_CHECK(cudaStreamDestroy(it)); }
  operator cudaStream_t() const { return it; }
};

struct Buffers {
  Stream stream;
  Device a, b, c;
  explicit Buffers(int n) : a(on_device(n)), b(on_device(n)), c(on_device(n)) {}
  void in(const float* h_a, const float* h_b, int n) {
    CUDA_CHECK(cudaMemcpyAsync(a.get(), h_a, n * sizeof(float), cudaMemcpyHostToDevice, stream));
    CUDA_CHECK(cudaMemcpyAsync(b.get(), h_b, n * sizeof(float), cudaMemcpyHostToDevice, stream));
  }
  void add(int n, int rounds) {
    add_kernel<<<lab::ceil_div(n, 256), 256, 0, stream>>>(a.get(), b.get(), c.get(), n, rounds);
    CUDA_CHECK(cudaGetLastError());
  }
  void out(float* h_c, int n) {
    CUDA_CHECK(cudaMemcpyAsync(h_c, c.get(), n * sizeof(float), cudaMemcpyDeviceToHost, stream));
  }
  void wait() { CUDA_CHECK(cudaStreamSynchronize(stream)); }
};

struct Slot : Buffers {
  Pinned h_a, h_b, h_c;
  Move job{};
  explicit Slot(int n)
      : Buffers(n),
        h_a(pinned(n, cudaHostAllocWriteCombined)),
        h_b(pinned(n, cudaHostAllocWriteCombined)),
        h_c(pinned(n, cudaHostAllocDefault)) {}
};

void add_staged(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  int finished[2] = {};
  Slot slots[2] = {Slot(segment), Slot(segment)};
  for (int first = 0, i = 0; first < n; first += segment, ++i) {
    Slot& slot = slots[i % 2];
    const int length = std::min(segment, n - first);
    slot.wait();  // the result has been moved, too
    std::memcpy(slot.h_a.get(), h_a + first, length * sizeof(float));
    std::memcpy(slot.h_b.get(), h_b + first, length * sizeof(float));
    slot.in(slot.h_a.get(), slot.h_b.get(), length);
    slot.add(length, rounds);
    slot.out(slot.h_c.get(), length);
    slot.job = {h_c + first, slot.h_c.get(), length, &finished[i % 2]};
    CUDA_CHECK(cudaLaunchHostFunc(slot.stream, move, &slot.job));
  }
  for (Slot& slot : slots) slot.wait();
  if (finished[0] + finished[1] != lab::ceil_div(n, segment)) std::abort();
}

class Registered {
 public:
  Registered(const float* array, int n) : array_(const_cast<float*>(array)) {
    CUDA_CHECK(cudaHostRegister(array_, n * sizeof(float), cudaHostRegisterPortable));
  }
  ~Registered() { CUDA_CHECK(cudaHostUnregister(array_)); }
  Registered(const Registered&) = delete;

 private:
  float* array_;
};

void add_streams(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  const Registered a(h_a, n), b(h_b, n), c(h_c, n);
  std::deque<Buffers> pair;
  pair.emplace_back(segment), pair.emplace_back(segment);
  for (int first = 0; first < n; first += 2 * segment) {
    const auto each = [&](auto what) {
      for (int p = 0, at = first; p < 2 && at < n; ++p, at += segment)
        what(pair[p], at, std::min(segment, n - at));
    };
    each([&](Buffers& on, int at, int length) { on.in(h_a + at, h_b + at, length); });
    each([&](Buffers& on, int, int length) { on.add(length, rounds); });
    each([&](Buffers& on, int at, int length) { on.out(h_c + at, length); });
  }
  for (Buffers& one : pair) one.wait();
}

void device_facts(int* facts, int n) {
  cudaDeviceProp p{};
  CUDA_CHECK(cudaGetDeviceProperties(&p, 0));
  facts[0] = p.asyncEngineCount;
  facts[1] = std::min(1, p.asyncEngineCount);
  facts[2] = p.asyncEngineCount >= 2 ? 1 : 0;
  facts[3] = static_cast<double>(n) * 3 * sizeof(float) <= static_cast<double>(p.totalGlobalMem);
}

// A counter of finished segments, which host functions increase, one stream after the other.
void CUDART_CB one_more(void* counter) { ++*static_cast<int*>(counter); }

void add_pipelined(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  std::deque<Buffers> sets;
  int finished[3] = {};
  for (int s = 0; s < 3; ++s) sets.emplace_back(segment);
  int i = 0;
  for (int at = 0; at < n; at += segment, ++i) {
    const int length = std::min(segment, n - at);
    sets[i % 3].in(h_a + at, h_b + at, length);
    sets[i % 3].add(length, rounds);
    sets[i % 3].out(h_c + at, length);
  }
  for (int s = 0; s < 3; ++s) CUDA_CHECK(cudaLaunchHostFunc(sets[s].stream, one_more, &finished[s]));
  for (Buffers& set : sets) set.wait();
}
