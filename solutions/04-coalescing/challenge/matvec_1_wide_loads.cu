// Step 1: loads of 16 bytes, four of them in flight per lane.
//
// The bound is 4 bytes per element of A over the read bandwidth; x is read again by every row, but from the
// caches. A lane of the taught warp loads 4 bytes at a time. Here it loads 4 × 16 bytes of its row before
// it multiplies, so that enough bytes are on their way to cover DRAM's latency. A is needed once: __ldcs
// lets the caches replace it before x.
// Counters: dram__throughput; l1tex__t_sector_hit_rate.

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/coalescing.hpp"

namespace {

constexpr int kWarp = 32;
constexpr int kThreads = 256;
constexpr int kLoads = 4;  // in flight per lane

__device__ float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
__device__ float dot(float a, float b) { return a * b; }

// One warp per row of `length` vectors.
template <class Vector>
__global__ void __launch_bounds__(kThreads)
    matvec_kernel(const Vector* A, const Vector* x, float* y, int rows, int length) {
  const int row = (blockIdx.x * kThreads + threadIdx.x) / kWarp;
  const int lane = threadIdx.x % kWarp;
  if (row >= rows) return;  // a whole warp returns
  const Vector* of_row = A + row * length;

  float sum = 0.0f;
  int i = lane;
  for (; i < length - (kLoads - 1) * kWarp; i += kLoads * kWarp) {
    Vector loaded[kLoads];
#pragma unroll
    for (int load = 0; load < kLoads; ++load) loaded[load] = __ldcs(of_row + i + load * kWarp);
#pragma unroll
    for (int load = 0; load < kLoads; ++load) sum += dot(loaded[load], x[i + load * kWarp]);
  }
  for (; i < length; i += kWarp) sum += dot(of_row[i], x[i]);

  for (int offset = kWarp / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
  if (lane == 0) y[row] = sum;
}

template <class Vector>
void launch(const float* d_A, const float* d_x, float* d_y, int rows, int columns) {
  const int length = columns * static_cast<int>(sizeof(float)) / static_cast<int>(sizeof(Vector));
  matvec_kernel<<<lab::ceil_div(rows, kThreads / kWarp), kThreads>>>(
      reinterpret_cast<const Vector*>(d_A), reinterpret_cast<const Vector*>(d_x), d_y, rows, length);
  CUDA_CHECK(cudaGetLastError());
}

}  // namespace

void matvec(const float* d_A, const float* d_x, float* d_y, int rows, int columns) {
  if (columns % 4 == 0)  // every row begins at a multiple of 16 bytes
    launch<float4>(d_A, d_x, d_y, rows, columns);
  else
    launch<float>(d_A, d_x, d_y, rows, columns);
}
