// Step 2: a stream for each engine instead of a stream for each segment, and a ramp of small segments.
//
// Only the copies to the device limit the speed, so their engine must never wait. With a stream for each
// segment, it changes streams after every two copies. Here all copies to the device follow each other in one
// stream; kernels and copies back have streams of their own, and events connect them. When the last copy to
// the device ends, its kernel and its copy back remain, with nothing to overlap with. So the last segments
// are small: each is half of what remains. Look at the copy engines in the timeline: the one to the device
// has no gap, and ends just before the other one.

#include <algorithm>
#include <cstdint>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/pinned_streams.hpp"

namespace {

constexpr int kThreads = 256;
constexpr int kSets = 4;                // one more than engines, so that no copy waits for a buffer
constexpr int kLeastSegment = 1 << 16;  // elements: smaller copies take as long

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

struct Buffers {
  float *d_a, *d_b, *d_c;
  cudaEvent_t copied_in, computed, copied_out;
};

cudaEvent_t make_event() {
  cudaEvent_t made;
  CUDA_CHECK(cudaEventCreateWithFlags(&made, cudaEventDisableTiming));
  return made;
}

// The engines: each executes its stream's work in order.
struct Streams {
  cudaStream_t in, compute, out;
};

// `set` is free as soon as its previous segment has been copied out.
void add_segment(const Buffers& set, const Streams& streams, const float* h_a, const float* h_b, float* h_c,
                 int length, int rounds) {
  const size_t bytes = length * sizeof(float);
  CUDA_CHECK(cudaStreamWaitEvent(streams.in, set.copied_out));
  CUDA_CHECK(cudaMemcpyAsync(set.d_a, h_a, bytes, cudaMemcpyHostToDevice, streams.in));
  CUDA_CHECK(cudaMemcpyAsync(set.d_b, h_b, bytes, cudaMemcpyHostToDevice, streams.in));
  CUDA_CHECK(cudaEventRecord(set.copied_in, streams.in));

  CUDA_CHECK(cudaStreamWaitEvent(streams.compute, set.copied_in));
  add_kernel<<<lab::ceil_div(length, kThreads), kThreads, 0, streams.compute>>>(set.d_a, set.d_b, set.d_c,
                                                                                length, rounds);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaEventRecord(set.computed, streams.compute));

  CUDA_CHECK(cudaStreamWaitEvent(streams.out, set.computed));
  CUDA_CHECK(cudaMemcpyAsync(h_c, set.d_c, bytes, cudaMemcpyDeviceToHost, streams.out));
  CUDA_CHECK(cudaEventRecord(set.copied_out, streams.out));
}

// A whole segment while more than two remain, then half of what remains.
int next_length(size_t remaining, int segment) {
  if (remaining > 2 * size_t(segment)) return segment;
  const size_t half = lab::ceil_div(int(remaining), 2);
  return std::min(remaining,
                  std::max<size_t>(std::min<size_t>(half, segment), std::min(kLeastSegment, segment)));
}

}  // namespace

void add_pipelined(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  keep_freed_memory();
  Streams streams;
  for (cudaStream_t* one : {&streams.in, &streams.compute, &streams.out}) CUDA_CHECK(cudaStreamCreate(one));
  float* d_buffers;
  CUDA_CHECK(cudaMallocAsync(&d_buffers, kSets * 3 * size_t(segment) * sizeof(float), streams.in));
  Buffers sets[kSets];
  for (int i = 0; i < kSets; ++i) {
    float* d_set = d_buffers + 3 * size_t(segment) * i;
    sets[i] = {d_set, d_set + segment, d_set + 2 * size_t(segment), make_event(), make_event(), make_event()};
  }

  size_t first = 0;
  for (int i = 0; first < size_t(n); ++i) {
    const int length = next_length(n - first, segment);
    add_segment(sets[i % kSets], streams, h_a + first, h_b + first, h_c + first, length, rounds);
    first += length;
  }

  CUDA_CHECK(cudaStreamSynchronize(streams.out));  // everything else came before its last copy
  CUDA_CHECK(cudaFreeAsync(d_buffers, streams.in));
  CUDA_CHECK(cudaStreamSynchronize(streams.in));
  for (const Buffers& one : sets)
    for (cudaEvent_t event : {one.copied_in, one.computed, one.copied_out})
      CUDA_CHECK(cudaEventDestroy(event));
  for (cudaStream_t one : {streams.in, streams.compute, streams.out}) CUDA_CHECK(cudaStreamDestroy(one));
}
