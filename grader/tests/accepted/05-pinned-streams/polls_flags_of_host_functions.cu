// Idea: host functions set flags, and the host polls these flags instead of waiting for streams.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

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
struct Slot {
  float *h_a, *h_b, *h_c;
  Buffers device;
  int first = 0, length = 0;
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
  CUDA_CHECK(cudaFreeHost(slot.h_a));
  CUDA_CHECK(cudaFreeHost(slot.h_b));
  CUDA_CHECK(cudaFreeHost(slot.h_c));
}
struct Piece {
  const float *a, *b;
  float* c;
  int length;
};

struct Station {
  float* h_c;
  Piece piece{};
  std::atomic<bool> is_empty{false};
};

void CUDART_CB empty_station(void* data) {
  Station& s = *static_cast<Station*>(data);
  std::memcpy(s.piece.c, s.h_c, s.piece.length * sizeof(float));
  s.is_empty = true;
}

void wait_for(const Station& s) {
  while (!s.is_empty) {
  }
}

void add_staged(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  std::vector<Station> stations(lab::ceil_div(n, segment));
  Slot slots[2] = {make_slot(segment), make_slot(segment)};
  for (int i = 0; i * segment < n; ++i) {
    const Slot& slot = slots[i % 2];
    const int first = i * segment, length = std::min(segment, n - first);
    if (i >= 2) wait_for(stations[i - 2]);
    std::memcpy(slot.h_a, h_a + first, length * sizeof(float));
    std::memcpy(slot.h_b, h_b + first, length * sizeof(float));
    stations[i].h_c = slot.h_c;
    stations[i].piece = {h_a + first, h_b + first, h_c + first, length};
    copy_in(slot.device, slot.h_a, slot.h_b, length);
    add(slot.device, length, rounds);
    copy_out(slot.h_c, slot.device, length);
    CUDA_CHECK(cudaLaunchHostFunc(slot.device.stream, empty_station, &stations[i]));
  }
  for (const Station& s : stations) wait_for(s);
  for (const Slot& slot : slots) free_slot(slot);
}

void pin(const float* h_array, int n) {
  CUDA_CHECK(cudaHostRegister(const_cast<float*>(h_array), n * sizeof(float), cudaHostRegisterDefault));
}

void unpin(const float* h_array) { CUDA_CHECK(cudaHostUnregister(const_cast<float*>(h_array))); }

void add_streams(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  for (const float* h_array : {h_a, h_b, static_cast<const float*>(h_c)}) pin(h_array, n);
  const Buffers both[2] = {make_buffers(segment), make_buffers(segment)};

  for (int first = 0; first < n; first += 2 * segment) {
    const int starts[2] = {first, first + segment};
    int lengths[2];
    for (int s = 0; s < 2; ++s) lengths[s] = std::max(0, std::min(segment, n - starts[s]));
    for (int s = 0; s < 2; ++s)
      if (lengths[s] > 0) copy_in(both[s], h_a + starts[s], h_b + starts[s], lengths[s]);
    for (int s = 0; s < 2; ++s)
      if (lengths[s] > 0) add(both[s], lengths[s], rounds);
    for (int s = 0; s < 2; ++s)
      if (lengths[s] > 0) copy_out(h_c + starts[s], both[s], lengths[s]);
  }

  for (const Buffers& one : both) {
    CUDA_CHECK(cudaStreamSynchronize(one.stream));
    free_buffers(one);
  }
  for (const float* h_array : {h_a, h_b, static_cast<const float*>(h_c)}) unpin(h_array);
}

void device_facts(int* facts, int n) {
  cudaDeviceProp device;
  CUDA_CHECK(cudaGetDeviceProperties(&device, 0));
  facts[0] = device.asyncEngineCount;
  facts[1] = device.asyncEngineCount >= 1;
  facts[2] = device.asyncEngineCount >= 2;
  facts[3] = 3 * size_t(n) * sizeof(float) <= device.totalGlobalMem;
}

constexpr int kSets = 3;

void add_pipelined(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  Buffers sets[kSets];
  for (Buffers& one : sets) one = make_buffers(segment);

  const int segments = lab::ceil_div(n, segment);
  const auto length = [&](int i) { return std::min(segment, n - i * segment); };
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
