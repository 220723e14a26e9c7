// Step 1: device buffers from a memory pool that keeps what is freed.
//
// The copies of a large vector take milliseconds, and so do the taught solution's nine cudaMalloc and nine
// cudaFree: each maps or unmaps memory, and cudaFree waits for the device. A pool with a release threshold
// keeps its memory mapped from one call to the next. cudaMallocAsync takes a piece of it in the order of a
// stream, and waits for nothing. Look at the host's part of the timeline: the time before the first copy and
// after the last.

#include <algorithm>
#include <cstdint>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/pinned_streams.hpp"

namespace {

constexpr int kThreads = 256;
constexpr int kSets = 3;  // while one segment is copied in, one is computed and one is copied out

__global__ void add_kernel(const float* a, const float* b, float* c, int length, int rounds) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= length) return;
  float sum = a[i];
  for (int round = 0; round < rounds; ++round) sum += b[i];
  c[i] = sum;
}

void keep_freed_memory() {
  cudaMemPool_t pool;
  CUDA_CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  std::uint64_t everything = UINT64_MAX;
  CUDA_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &everything));
}

// Buffers for one segment, one after the other in one piece of memory, and the stream that works with them.
struct Buffers {
  float *d_a, *d_b, *d_c;
  cudaStream_t stream;
};

Buffers make_buffers(size_t segment) {
  Buffers made;
  CUDA_CHECK(cudaStreamCreate(&made.stream));
  CUDA_CHECK(cudaMallocAsync(&made.d_a, 3 * segment * sizeof(float), made.stream));
  made.d_b = made.d_a + segment;
  made.d_c = made.d_b + segment;
  return made;
}

}  // namespace

void add_pipelined(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  keep_freed_memory();
  Buffers sets[kSets];
  for (Buffers& one : sets) one = make_buffers(segment);

  for (int i = 0; i < lab::ceil_div(n, segment); ++i) {
    const Buffers& set = sets[i % kSets];
    const size_t first = size_t(i) * segment;
    const int length = std::min<size_t>(segment, n - first);
    const size_t bytes = length * sizeof(float);
    CUDA_CHECK(cudaMemcpyAsync(set.d_a, h_a + first, bytes, cudaMemcpyHostToDevice, set.stream));
    CUDA_CHECK(cudaMemcpyAsync(set.d_b, h_b + first, bytes, cudaMemcpyHostToDevice, set.stream));
    add_kernel<<<lab::ceil_div(length, kThreads), kThreads, 0, set.stream>>>(set.d_a, set.d_b, set.d_c,
                                                                             length, rounds);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpyAsync(h_c + first, set.d_c, bytes, cudaMemcpyDeviceToHost, set.stream));
  }

  for (const Buffers& one : sets) {
    CUDA_CHECK(cudaFreeAsync(one.d_a, one.stream));
    CUDA_CHECK(cudaStreamSynchronize(one.stream));
    CUDA_CHECK(cudaStreamDestroy(one.stream));
  }
}
