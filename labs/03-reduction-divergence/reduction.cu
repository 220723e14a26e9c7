// 03-reduction-divergence: sums, maxima and counts of n elements, n ≥ 1, with warps whose lanes agree.
//
// Do the TODOs in order and check after each group:   warpgrade check 03-reduction-divergence
// TODO 1 to 10 are the core, worth 100 points; the bonus comes on top.
// README.md explains the tasks, hints.md helps when you are stuck. Budgets count lines of code.

#include <cmath>  // INFINITY

#include "lab/ceil_div.hpp"  // lab::ceil_div(1000, 256) = 4
#include "lab/check.hpp"     // CUDA_CHECK(call)
#include "lab/reduction.hpp"

constexpr int kWarpLanes = 32;
constexpr unsigned kAllLanes = 0xffffffffu;  // the mask for shuffles and votes of a whole warp

// ---- A. One divergent warp ----

__global__ void add_kernel(const float* A, const float* B, float* C, int n) {
  // TODO 1 (about 2 lines): thread i of the grid computes C[i] if this element exists.
}

void vector_add(const float* d_A, const float* d_B, float* d_C, int n, int* h_warps) {
  // TODO 2 (about 6 lines): launch enough blocks of 256 threads and check the launch with
  //   CUDA_CHECK(cudaGetLastError()). Then predict: h_warps[0] is the number of warps launched, h_warps[1]
  //   the number of those whose lanes disagree at your guard. Now "guard" passes.
}

// ---- B. The sum of a block, with a tree in shared memory ----

constexpr int kBlockThreads = 512;  // also the number of elements per block

// The lecture's interleaved tree. It is right when n is a multiple of 512, and slow.
__global__ void block_sums_kernel(const float* in, float* sums, int n) {
  __shared__ float partial[kBlockThreads];
  const int t = threadIdx.x;
  partial[t] = in[blockIdx.x * kBlockThreads + t];

  // TODO 3 (2 lines change): let contiguous threads add, first 0 to 255, then 0 to 127, and so on, so that
  //   whole warps have nothing more to do. Now "contiguous" passes.
  for (int stride = 1; stride < kBlockThreads; stride *= 2) {
    __syncthreads();
    if (t % (2 * stride) == 0) partial[t] += partial[t + stride];
  }

  if (t == 0) sums[blockIdx.x] = partial[0];
  // TODO 4 (about 1 line changes): make it right for every n ≥ 1. What does a thread without an element put
  //   into shared memory? Now "boundary" passes.
}

void block_sums(const float* d_in, float* d_sums, int n) {
  block_sums_kernel<<<lab::ceil_div(n, kBlockThreads), kBlockThreads>>>(d_in, d_sums, n);
  CUDA_CHECK(cudaGetLastError());
}

// ---- C. Warp shuffles ----

// How to combine two values, and the value that changes nothing. `reduce_warp<Sum>(value)` adds.
struct Sum {
  static constexpr float kIdentity = 0.0f;
  static __device__ float combine(float a, float b) { return a + b; }
};

// Combines the values of all 32 lanes of a warp; lane 0 gets the result.
template <class Operation>
__device__ float reduce_warp(float value) {
  // TODO 5 (about 3 lines): in five steps, combine with the value of the lane that is 16, 8, 4, 2, 1 further
  //   on: __shfl_down_sync(kAllLanes, value, offset). No shared memory, no branch.
  return value;
}

// Combines the values of all threads of a block; thread 0 gets the result. All threads must call it.
template <class Operation>
__device__ float reduce_block(float value) {
  // TODO 6 (about 9 lines): combine within each warp, collect one value of each warp in shared memory, wait,
  //   and let the first warp combine these. A block has blockDim.x / 32 warps, at most 32: what do the other
  //   lanes of the first warp contribute?
  return value;
}

__global__ void block_sums_shuffle_kernel(const float* in, float* sums, int n) {
  // TODO 7 (about 3 lines, and 2 in the next function): one element per thread, reduce_block<Sum>, thread 0
  //   stores. Launch it with blocks of 512 threads, for every n. Now "shuffle" passes.
}

void block_sums_shuffle(const float* d_in, float* d_sums, int n) {
  // TODO 7: the launch.
}

// ---- D. Any n in two levels ----

constexpr int kReduceThreads = 256;
constexpr int kMaxBlocks = 1024;
__device__ float partials[kMaxBlocks];  // for the results of the first level

template <class Operation>
__global__ void reduce_kernel(const float* in, float* out, int n) {
  // TODO 8 (about 6 lines): a grid of any size handles all n elements. Each thread combines the elements i,
  //   i + T, i + 2 T, … with T threads in the grid, then the block combines; thread 0 stores out[blockIdx.x].
}

// Enough blocks to fill the device, at most kMaxBlocks, and never more than the elements need.
int blocks_for(int n) {
  // TODO 9 (about 5 lines, and 6 in the next function): cudaDeviceGetAttribute returns
  //   cudaDevAttrMultiProcessorCount. Six blocks of 256 threads for each multiprocessor fill the device.
  return 1;
}

template <class Operation>
void reduce(const float* d_in, float* d_out, int n) {
  // TODO 9: launch reduce_kernel twice, from d_in to `partials`, then from there to d_out with one block.
  //   cudaGetSymbolAddress((void**)&d_partials, partials) gives the address. Now "two-levels" passes.
}

void reduce_sum(const float* d_in, float* d_sum, int n) { reduce<Sum>(d_in, d_sum, n); }

void reduce_max(const float* d_in, float* d_max, int n) {
  // TODO 10 (about 5 lines): write a struct Max like Sum and reduce with it. Which value changes no maximum?
  //   Now "maximum" passes, and "speed" is measured.
}

// ---- E. Bonus: count 6 ----

__global__ void six_votes_kernel(const int* in, int* counts, int* any, int* all, int n) {
  // TODO 11 (about 10 lines): every lane holds one element and votes. __ballot_sync(kAllLanes, condition)
  //   has a bit for each lane whose condition holds, __popc counts bits; __any_sync and __all_sync answer
  //   with 0 or not 0. One lane of each group of 32 stores. What do lanes without an element vote?
}

void six_votes(const int* d_in, int* d_counts, int* d_any, int* d_all, int n) {
  // TODO 12 (about 2 lines): launch it for every n. Now "votes" passes.
}

void count_six_atomic(const int* d_in, int* d_count, int n) {
  // TODO 13 (a kernel of about 2 lines, and about 3 lines here): set *d_count to 0 with
  //   cudaMemsetAsync; every thread whose element is 6 does atomicAdd(count, 1).
}

void count_six(const int* d_in, int* d_count, int n) {
  // TODO 14 (a kernel of about 8 lines, and about 3 lines here): loop over the elements as in TODO 8, but so
  //   that the 32 lanes of a warp leave the loop together; in each iteration the warp votes. One lane adds
  //   its warp's count. Now "count" passes.
}
