// Accepted: a stream for each kind of work instead of one for each set of buffers. Events pass a set on:
// copied in, computed, copied out, free again.

#include <algorithm>
#include <cstring>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/pinned_streams.hpp"

constexpr int kThreads = 512;
constexpr int kMaxSets = 3;

__global__ void add_kernel(const float* a, const float* b, float* c, int length, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= length) return;
  float sum = a[i];
  for (int round = 0; round < rounds; ++round) sum += b[i];
  c[i] = sum;
}

struct Set {
  float *a, *b, *c;                  // device
  cudaEvent_t filled, added, taken;  // the last operations on this set
};

struct Machine {
  cudaStream_t in, compute, out;
  Set sets[kMaxSets];
  int count;
};

Machine build(int count, int segment) {
  Machine made;
  made.count = count;
  for (cudaStream_t* stream : {&made.in, &made.compute, &made.out}) CUDA_CHECK(cudaStreamCreate(stream));
  for (int i = 0; i < count; ++i) {
    Set& set = made.sets[i];
    for (float** buffer : {&set.a, &set.b, &set.c}) CUDA_CHECK(cudaMalloc(buffer, segment * sizeof(float)));
    for (cudaEvent_t* event : {&set.filled, &set.added, &set.taken}) CUDA_CHECK(cudaEventCreate(event));
  }
  return made;
}

void tear_down(Machine& made) {
  for (int i = 0; i < made.count; ++i) {
    Set& set = made.sets[i];
    for (float* buffer : {set.a, set.b, set.c}) CUDA_CHECK(cudaFree(buffer));
    for (cudaEvent_t event : {set.filled, set.added, set.taken}) CUDA_CHECK(cudaEventDestroy(event));
  }
  for (cudaStream_t stream : {made.in, made.compute, made.out}) CUDA_CHECK(cudaStreamDestroy(stream));
}

// Waits for events that were never recorded return immediately, so a set's first use needs no exception.
void start(Machine& with, Set& set, const float* a, const float* b, int length, int rounds) {
  const size_t bytes = length * sizeof(float);
  CUDA_CHECK(cudaStreamWaitEvent(with.in, set.added));
  CUDA_CHECK(cudaMemcpyAsync(set.a, a, bytes, cudaMemcpyHostToDevice, with.in));
  CUDA_CHECK(cudaMemcpyAsync(set.b, b, bytes, cudaMemcpyHostToDevice, with.in));
  CUDA_CHECK(cudaEventRecord(set.filled, with.in));
  CUDA_CHECK(cudaStreamWaitEvent(with.compute, set.filled));
  CUDA_CHECK(cudaStreamWaitEvent(with.compute, set.taken));
  add_kernel<<<lab::ceil_div(length, kThreads), kThreads, 0, with.compute>>>(set.a, set.b, set.c, length,
                                                                             rounds);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaEventRecord(set.added, with.compute));
}

void finish(Machine& with, Set& set, float* c, int length) {
  CUDA_CHECK(cudaStreamWaitEvent(with.out, set.added));
  CUDA_CHECK(cudaMemcpyAsync(c, set.c, length * sizeof(float), cudaMemcpyDeviceToHost, with.out));
  CUDA_CHECK(cudaEventRecord(set.taken, with.out));
}

// For pinned arrays.
void run(int count, const float* a, const float* b, float* c, int n, int segment, int rounds) {
  Machine machine = build(count, segment);
  for (int i = 0; i <= lab::ceil_div(n, segment); ++i) {
    const int first = i * segment, before = first - segment;
    if (first < n)
      start(machine, machine.sets[i % count], a + first, b + first, std::min(segment, n - first), rounds);
    if (i > 0) finish(machine, machine.sets[(i - 1) % count], c + before, std::min(segment, n - before));
  }
  CUDA_CHECK(cudaStreamSynchronize(machine.out));  // all other work precedes it
  tear_down(machine);
}

void add_staged(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  const size_t bytes = segment * sizeof(float);
  float *a[kMaxSets], *b[kMaxSets], *c[kMaxSets];
  for (float** slots : {a, b, c})
    for (int s = 0; s < kMaxSets; ++s) CUDA_CHECK(cudaHostAlloc(&slots[s], bytes, cudaHostAllocDefault));
  Machine machine = build(kMaxSets, segment);
  for (int i = 0; i < lab::ceil_div(n, segment) + kMaxSets; ++i) {
    const int s = i % kMaxSets, first = i * segment, before = first - kMaxSets * segment;
    if (before >= 0 && before < n) {
      CUDA_CHECK(cudaEventSynchronize(machine.sets[s].taken));
      std::memcpy(h_c + before, c[s], std::min(segment, n - before) * sizeof(float));
    }
    if (first >= n) continue;
    const int length = std::min(segment, n - first);
    std::memcpy(a[s], h_a + first, length * sizeof(float));
    std::memcpy(b[s], h_b + first, length * sizeof(float));
    start(machine, machine.sets[s], a[s], b[s], length, rounds);
    finish(machine, machine.sets[s], c[s], length);
  }
  tear_down(machine);
  for (float** slots : {a, b, c})
    for (int s = 0; s < kMaxSets; ++s) CUDA_CHECK(cudaFreeHost(slots[s]));
}

void add_streams(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  float* arrays[3] = {const_cast<float*>(h_a), const_cast<float*>(h_b), h_c};
  for (float* array : arrays) CUDA_CHECK(cudaHostRegister(array, n * sizeof(float), cudaHostRegisterDefault));
  run(2, h_a, h_b, h_c, n, segment, rounds);
  for (float* array : arrays) CUDA_CHECK(cudaHostUnregister(array));
}

void add_pipelined(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  run(kMaxSets, h_a, h_b, h_c, n, segment, rounds);
}

void device_facts(int* facts, int n) {
  cudaDeviceProp device;
  CUDA_CHECK(cudaGetDeviceProperties(&device, 0));
  const int engines = device.asyncEngineCount;
  const size_t bytes = sizeof(float) * 3 * n;
  for (int i = 0; i < 4; ++i) {
    if (i == 0) facts[i] = engines;
    if (i == 1) facts[i] = engines != 0;
    if (i == 2) facts[i] = engines >= 2;
    if (i == 3) facts[i] = bytes <= device.totalGlobalMem;
  }
}
