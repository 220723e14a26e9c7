// Step 1: loads of 16 bytes, several of them in flight.
//
// The bound is 4 bytes per element over the read bandwidth. By Little's law, bandwidth × latency bytes must
// be on their way all the time: at 3 TB/s and about 0.7 µs these are 2 MB, 16 KB per SM. The taught loop
// adds an element before it loads the next one: 4 bytes per thread. Here each thread loads 4 × 16 bytes
// before it adds. Two kernels remain, as taught.
// Counters: dram__throughput; l1tex__t_requests_pipe_lsu_mem_global_op_ld, a quarter of before.

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/reduction.hpp"

namespace {

constexpr int kWarp = 32;
constexpr int kThreads = 512;
constexpr int kBlocksPerSm = 4;  // 2,048 threads: all that fit
constexpr int kMaxBlocks = 1024;
constexpr int kLoads = 4;  // in flight per thread
__device__ float partials[kMaxBlocks];

__device__ float sum_of_warp(float value) {
  for (int offset = kWarp / 2; offset > 0; offset /= 2) value += __shfl_down_sync(~0u, value, offset);
  return value;
}

// Thread 0 gets the sum of the values of all threads.
__device__ float sum_of_block(float value) {
  __shared__ float of_warps[kThreads / kWarp];
  const int lane = threadIdx.x % kWarp;
  value = sum_of_warp(value);
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
    for (int load = 0; load < kLoads; ++load) loaded[load] = in[i + load * threads];
#pragma unroll
    for (int load = 0; load < kLoads; ++load) sum += sum_of(loaded[load]);
  }
  for (; i < count; i += threads) sum += sum_of(in[i]);
  return sum;
}

__global__ void sum_kernel(const float* in, float* sums, int n) {
  // Up to 3 elements precede the first multiple of 16 bytes, and up to 3 follow the last whole vector.
  const int misaligned = reinterpret_cast<size_t>(in) / sizeof(float) % 4;
  const int before = min(n, (4 - misaligned) % 4);
  const int vectors = (n - before) / 4;
  const int after = before + 4 * vectors;
  float sum = sum_of_vectors(reinterpret_cast<const float4*>(in + before), vectors);
  const int t = threadIdx.x;
  if (blockIdx.x == 0 && t < before) sum += in[t];
  if (blockIdx.x == 0 && t < n - after) sum += in[after + t];
  sum = sum_of_block(sum);
  if (t == 0) sums[blockIdx.x] = sum;
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
  float* d_partials = nullptr;
  CUDA_CHECK(cudaGetSymbolAddress(reinterpret_cast<void**>(&d_partials), partials));
  const int blocks = blocks_for(n);
  sum_kernel<<<blocks, kThreads>>>(d_in, d_partials, n);
  CUDA_CHECK(cudaGetLastError());
  sum_kernel<<<1, kThreads>>>(d_partials, d_sum, blocks);
  CUDA_CHECK(cudaGetLastError());
}
