// 05-pinned-streams: vector addition of host arrays that do not fit into the device, in segments. Copies and
// kernels of different segments should run at the same time.
//
// Do the TODOs in order and check after each group:   warpgrade check 05-pinned-streams
// README.md explains the task, hints.md helps when you are stuck. Budgets count lines of code.

#include <algorithm>  // std::min(segment, n - first)
#include <cstring>    // std::memcpy(to, from, bytes)

#include "lab/ceil_div.hpp"  // lab::ceil_div(1000, 256) = 4
#include "lab/check.hpp"     // CUDA_CHECK(call)
#include "lab/pinned_streams.hpp"

// ---- Given: the kernel. `rounds` = 1 is plain vector addition, more rounds take longer. Do not edit. ----

constexpr int kThreads = 256;  // per block

__global__ void add_kernel(const float* a, const float* b, float* c, int length, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= length) return;
  float sum = a[i];
  for (int round = 0; round < rounds; ++round) sum += b[i];
  c[i] = sum;
}

// ---- A. Pinned staging buffers ----

void add_staged(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  // TODO 1 (about 12 lines): allocate three device buffers and three pinned host buffers of `segment` floats,
  //   the latter with cudaHostAlloc. At the end, free each with the call that belongs to it.

  // TODO 2 (about 10 lines): for each segment, put its part of h_a and h_b into the pinned buffers with
  //   std::memcpy, copy these to the device, launch add_kernel, copy the result into the third pinned buffer,
  //   and from there to h_c. How long is the last segment? cudaMemcpy will do for now.
  //   Now "pinned" passes.

  // TODO 6 (about 20 lines change), when "order" has passed: make two slots of all this, each with a stream
  //   of its own, and use them in turn, with cudaMemcpyAsync. Before you use a slot again, wait for its
  //   stream and for nothing else, then move its last result to h_c. Now "wait" passes.
}

// ---- B. Registered arrays and two streams ----

void add_streams(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  // TODO 3 (about 14 lines): pin the three arrays where they are with cudaHostRegister (h_a and h_b need a
  //   const_cast<float*>), and undo it at the end with cudaHostUnregister. Create two streams, and allocate
  //   three device buffers for each.

  // TODO 4 (about 15 lines): take two segments at a time, one for each stream: copies in, kernel, copy back,
  //   all asynchronous. Either can be the last, shorter segment; the second can be missing. Wait for both
  //   streams after the loop, before you undo anything. Now "streams" passes.

  // TODO 5 (the same lines, in another order): issue breadth-first: the copies in for both streams, then both
  //   kernels, then both copies back. Now "order" passes.
}

// ---- C. What the device can do ----

void device_facts(int* facts, int n) {
  // TODO 7 (about 6 lines): ask device 0 with cudaGetDeviceProperties (asyncEngineCount, totalGlobalMem).
  //   lab/pinned_streams.hpp defines the four facts. Now "query" passes.
}

// ---- D. Three sets of buffers ----

void add_pipelined(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  // TODO 8 (about 20 lines): the arrays are already pinned. Use three or more streams with their buffers in
  //   turn, so that one segment is copied in, one is computed and one is copied out at any time. Do not wait
  //   inside the loop. Now "pipeline" and "speed" pass.
}
