// Step 2: a block per row.
//
// With a warp per row, the 64 warps of an SM read rows at places that are 64 KB apart, and each of them
// reads another part of x. The 512 threads of a block read 16 KB of one row and the same 16 KB of x
// together. Blocks end and start while others load, so that the memory is never idle.
// Counters: dram__throughput; l1tex__t_sector_hit_rate.

#include "lab/check.hpp"
#include "lab/coalescing.hpp"

namespace {

constexpr int kWarp = 32;
constexpr int kThreads = 512;
constexpr int kLoads = 2;  // in flight per thread

__device__ float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
__device__ float dot(float a, float b) { return a * b; }

__device__ float sum_of_warp(float value) {
  for (int offset = kWarp / 2; offset > 0; offset /= 2) value += __shfl_down_sync(~0u, value, offset);
  return value;
}

// One block per row of `length` vectors.
template <class Vector>
__global__ void __launch_bounds__(kThreads)
    matvec_kernel(const Vector* A, const Vector* x, float* y, int length) {
  const Vector* of_row = A + blockIdx.x * length;
  float sum = 0.0f;
  int i = threadIdx.x;
  for (; i < length - (kLoads - 1) * kThreads; i += kLoads * kThreads) {
    Vector loaded[kLoads];
#pragma unroll
    for (int load = 0; load < kLoads; ++load) loaded[load] = __ldcs(of_row + i + load * kThreads);
#pragma unroll
    for (int load = 0; load < kLoads; ++load) sum += dot(loaded[load], x[i + load * kThreads]);
  }
  for (; i < length; i += kThreads) sum += dot(of_row[i], x[i]);

  __shared__ float of_warps[kThreads / kWarp];
  const int lane = threadIdx.x % kWarp;
  sum = sum_of_warp(sum);
  if (lane == 0) of_warps[threadIdx.x / kWarp] = sum;
  __syncthreads();  // the sums of all warps are available
  if (threadIdx.x >= kWarp) return;
  sum = sum_of_warp(lane < kThreads / kWarp ? of_warps[lane] : 0.0f);
  if (lane == 0) y[blockIdx.x] = sum;
}

template <class Vector>
void launch(const float* d_A, const float* d_x, float* d_y, int rows, int columns) {
  const int length = columns * static_cast<int>(sizeof(float)) / static_cast<int>(sizeof(Vector));
  matvec_kernel<<<rows, kThreads>>>(reinterpret_cast<const Vector*>(d_A),
                                    reinterpret_cast<const Vector*>(d_x), d_y, length);
  CUDA_CHECK(cudaGetLastError());
}

}  // namespace

void matvec(const float* d_A, const float* d_x, float* d_y, int rows, int columns) {
  if (columns % 4 == 0)  // every row begins at a multiple of 16 bytes
    launch<float4>(d_A, d_x, d_y, rows, columns);
  else
    launch<float>(d_A, d_x, d_y, rows, columns);
}
