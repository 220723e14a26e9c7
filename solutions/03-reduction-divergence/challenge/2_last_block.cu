// Step 2: one kernel, whose last block adds the partial sums, and few large blocks.
//
// The second kernel of step 1 reads a few KB, but it starts only when the first has ended, and the memory
// is idle meanwhile. Here each block takes a ticket, and the block with the last one knows that all partial
// sums are stored. It adds them in the order of the blocks, so that the result is the same in every run.
// Blocks of 1,024 threads leave only 2 partial sums per SM. The elements are needed once: __ldcs lets the
// caches replace them first.
// Counters: one launch instead of two; dram__throughput.

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/reduction.hpp"

namespace {

constexpr int kWarp = 32;
constexpr int kThreads = 1024;
constexpr int kBlocksPerSm = 2;  // 2,048 threads: all that fit
constexpr int kMaxBlocks = 1024;
constexpr int kLoads = 4;  // in flight per thread
__device__ float partials[kMaxBlocks];
__device__ unsigned tickets;  // taken in this launch; 0 between launches

__device__ float sum_of_warp(float value) {
  for (int offset = kWarp / 2; offset > 0; offset /= 2) value += __shfl_down_sync(~0u, value, offset);
  return value;
}

// Thread 0 gets the sum of the values of all threads.
__device__ float sum_of_block(float value) {
  __shared__ float of_warps[kThreads / kWarp];
  const int lane = threadIdx.x % kWarp;
  value = sum_of_warp(value);
  __syncthreads();  // the values of the previous call have been read
  if (lane == 0) of_warps[threadIdx.x / kWarp] = value;
  __syncthreads();  // the sums of all warps are available
  if (threadIdx.x < kWarp) value = sum_of_warp(lane < kThreads / kWarp ? of_warps[lane] : 0.0f);
  return value;
}

__device__ float sum_of(float4 v) { return (v.x + v.y) + (v.z + v.w); }

// The thread's share of `count` vectors.
__device__ float sum_of_vectors(const float4* in, int count) {
  const int threads = gridDim.x * kThreads;
  int i = blockIdx.x * kThreads + threadIdx.x;
  float sum = 0.0f;
  for (; i < count - (kLoads - 1) * threads; i += kLoads * threads) {
    float4 loaded[kLoads];
#pragma unroll
    for (int load = 0; load < kLoads; ++load) loaded[load] = __ldcs(in + i + load * threads);
#pragma unroll
    for (int load = 0; load < kLoads; ++load) sum += sum_of(loaded[load]);
  }
  for (; i < count; i += threads) sum += sum_of(in[i]);
  return sum;
}

// The sum of this block's share.
__device__ float sum_of_share(const float* in, int n) {
  // Up to 3 elements precede the first multiple of 16 bytes, and up to 3 follow the last whole vector.
  const int misaligned = reinterpret_cast<size_t>(in) / sizeof(float) % 4;
  const int before = min(n, (4 - misaligned) % 4);
  const int vectors = (n - before) / 4;
  const int after = before + 4 * vectors;
  float sum = sum_of_vectors(reinterpret_cast<const float4*>(in + before), vectors);
  const int t = threadIdx.x;
  if (blockIdx.x == 0 && t < before) sum += in[t];
  if (blockIdx.x == 0 && t < n - after) sum += in[after + t];
  return sum_of_block(sum);
}

__global__ void __launch_bounds__(kThreads) sum_kernel(const float* in, float* out, int n) {
  const float sum = sum_of_share(in, n);
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = sum;
    __threadfence();  // whoever sees the ticket sees the partial sum
    is_last = atomicAdd(&tickets, 1u) == gridDim.x - 1;
  }
  __syncthreads();  // is_last is available
  if (!is_last) return;

  __threadfence();  // the loads below follow the ticket
  float total = 0.0f;
  for (int i = threadIdx.x; i < gridDim.x; i += kThreads) total += __ldcg(&partials[i]);
  total = sum_of_block(total);
  if (threadIdx.x == 0) {
    *out = total;
    tickets = 0;
  }
}

int blocks_for(int n) {
  int device = 0;
  int sms = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  return min(min(sms * kBlocksPerSm, kMaxBlocks), lab::ceil_div(n, 4 * kThreads));
}

}  // namespace

void reduce_sum(const float* d_in, float* d_sum, int n) {
  sum_kernel<<<blocks_for(n), kThreads>>>(d_in, d_sum, n);
  CUDA_CHECK(cudaGetLastError());
}
