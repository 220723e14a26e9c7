// Mistake: if there is no pinned memory, the function returns as if the sum were complete.

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

// ---- Device buffers for one segment, and the stream that works with them ----

struct Buffers {
  float *d_a, *d_b, *d_c;
  cudaStream_t stream;
};

Buffers make_buffers(int segment) {
  const size_t bytes = segment * sizeof(float);
  Buffers made;
  CUDA_CHECK(cudaMalloc(&made.d_a, bytes));
  CUDA_CHECK(cudaMalloc(&made.d_b, bytes));
  CUDA_CHECK(cudaMalloc(&made.d_c, bytes));
  CUDA_CHECK(cudaStreamCreate(&made.stream));
  return made;
}

void free_buffers(const Buffers& made) {
  CUDA_CHECK(cudaStreamDestroy(made.stream));
  CUDA_CHECK(cudaFree(made.d_a));
  CUDA_CHECK(cudaFree(made.d_b));
  CUDA_CHECK(cudaFree(made.d_c));
}

// The three steps of a segment. Each returns immediately; the stream executes them one after another.

void copy_in(const Buffers& to, const float* h_a, const float* h_b, int length) {
  const size_t bytes = length * sizeof(float);
  CUDA_CHECK(cudaMemcpyAsync(to.d_a, h_a, bytes, cudaMemcpyHostToDevice, to.stream));
  CUDA_CHECK(cudaMemcpyAsync(to.d_b, h_b, bytes, cudaMemcpyHostToDevice, to.stream));
}

void add(const Buffers& in, int length, int rounds) {
  add_kernel<<<lab::ceil_div(length, kThreads), kThreads, 0, in.stream>>>(in.d_a, in.d_b, in.d_c, length,
                                                                          rounds);
  CUDA_CHECK(cudaGetLastError());
}

void copy_out(float* h_c, const Buffers& from, int length) {
  CUDA_CHECK(cudaMemcpyAsync(h_c, from.d_c, length * sizeof(float), cudaMemcpyDeviceToHost, from.stream));
}

// ---- A. Pinned staging buffers ----

// Pinned buffers for one segment, with their device buffers, and the part of the vectors that they contain.
struct Slot {
  float *h_a, *h_b, *h_c;
  Buffers device;
  int first = 0, length = 0;  // length 0: no segment in progress
};

Slot make_slot(int segment) {
  const size_t bytes = segment * sizeof(float);
  Slot slot;
  CUDA_CHECK(cudaHostAlloc(&slot.h_a, bytes, cudaHostAllocDefault));
  CUDA_CHECK(cudaHostAlloc(&slot.h_b, bytes, cudaHostAllocDefault));
  CUDA_CHECK(cudaHostAlloc(&slot.h_c, bytes, cudaHostAllocDefault));
  slot.device = make_buffers(segment);
  return slot;
}

void free_slot(const Slot& slot) {
  free_buffers(slot.device);
  CUDA_CHECK(cudaFreeHost(slot.h_a));  // not free() or cudaFree()
  CUDA_CHECK(cudaFreeHost(slot.h_b));
  CUDA_CHECK(cudaFreeHost(slot.h_c));
}

// Waits for the slot's own stream, not for the other: the other slot's segment stays in progress.
void finish(Slot& slot, float* h_c) {
  if (slot.length == 0) return;
  CUDA_CHECK(cudaStreamSynchronize(slot.device.stream));
  std::memcpy(h_c + slot.first, slot.h_c, slot.length * sizeof(float));
  slot.length = 0;
}

void add_staged(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  float* h_test = nullptr;
  if (cudaHostAlloc(&h_test, segment * sizeof(float), cudaHostAllocDefault) != cudaSuccess) return;
  CUDA_CHECK(cudaFreeHost(h_test));
  Slot slots[2] = {make_slot(segment), make_slot(segment)};
  for (int i = 0; i < lab::ceil_div(n, segment); ++i) {
    Slot& slot = slots[i % 2];
    finish(slot, h_c);  // before this its staging buffers are still being read and written
    slot.first = i * segment;
    slot.length = std::min(segment, n - slot.first);
    std::memcpy(slot.h_a, h_a + slot.first, slot.length * sizeof(float));
    std::memcpy(slot.h_b, h_b + slot.first, slot.length * sizeof(float));
    copy_in(slot.device, slot.h_a, slot.h_b, slot.length);
    add(slot.device, slot.length, rounds);
    copy_out(slot.h_c, slot.device, slot.length);
  }
  for (Slot& slot : slots) {
    finish(slot, h_c);
    free_slot(slot);
  }
}

// ---- B. Registered arrays and two streams ----

void pin(const float* h_array, int n) {
  CUDA_CHECK(cudaHostRegister(const_cast<float*>(h_array), n * sizeof(float), cudaHostRegisterDefault));
}

void unpin(const float* h_array) { CUDA_CHECK(cudaHostUnregister(const_cast<float*>(h_array))); }

void add_streams(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  for (const float* h_array : {h_a, h_b, static_cast<const float*>(h_c)}) pin(h_array, n);
  const Buffers both[2] = {make_buffers(segment), make_buffers(segment)};

  for (int first = 0; first < n; first += 2 * segment) {
    const int starts[2] = {first, first + segment};
    int lengths[2];  // the last segment is shorter, and the last pair can lack its second segment
    for (int s = 0; s < 2; ++s) lengths[s] = std::max(0, std::min(segment, n - starts[s]));

    // Breadth-first. Depth-first, the first segment's copy back would be queued in the copy engine
    // before the second segment's copies, and wait there for its kernel.
    for (int s = 0; s < 2; ++s)
      if (lengths[s] > 0) copy_in(both[s], h_a + starts[s], h_b + starts[s], lengths[s]);
    for (int s = 0; s < 2; ++s)
      if (lengths[s] > 0) add(both[s], lengths[s], rounds);
    for (int s = 0; s < 2; ++s)
      if (lengths[s] > 0) copy_out(h_c + starts[s], both[s], lengths[s]);
    // No wait here: the next segments of a stream follow these in the same stream.
  }

  for (const Buffers& one : both) {
    CUDA_CHECK(cudaStreamSynchronize(one.stream));
    free_buffers(one);
  }
  for (const float* h_array : {h_a, h_b, static_cast<const float*>(h_c)}) unpin(h_array);
}

// ---- C. What the device can do ----

void device_facts(int* facts, int n) {
  cudaDeviceProp device;
  CUDA_CHECK(cudaGetDeviceProperties(&device, 0));
  facts[0] = device.asyncEngineCount;
  facts[1] =
      device.asyncEngineCount >= 1;  // the field was called deviceOverlap before there were several engines
  facts[2] = device.asyncEngineCount >= 2;
  facts[3] = 3 * size_t(n) * sizeof(float) <= device.totalGlobalMem;
}

// ---- D. Three sets of buffers ----

constexpr int kSets = 3;  // while one segment is copied in, one is computed and one is copied out

void add_pipelined(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  Buffers sets[kSets];
  for (Buffers& one : sets) one = make_buffers(segment);

  const int segments = lab::ceil_div(n, segment);
  const auto length = [&](int i) { return std::min(segment, n - i * segment); };
  // Each copy back is issued one step late, after the next segment's copies in: so a device with one copy
  // engine has work while the kernel runs.
  for (int i = 0; i <= segments; ++i) {
    if (i < segments) {
      copy_in(sets[i % kSets], h_a + i * segment, h_b + i * segment, length(i));
      add(sets[i % kSets], length(i), rounds);
    }
    if (i > 0) copy_out(h_c + (i - 1) * segment, sets[(i - 1) % kSets], length(i - 1));
  }

  for (const Buffers& one : sets) {
    CUDA_CHECK(cudaStreamSynchronize(one.stream));
    free_buffers(one);
  }
}
