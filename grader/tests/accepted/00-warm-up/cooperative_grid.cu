// Idea: a cooperative launch with as many blocks as the occupancy calculator allows; ranks of the grid group.

#include <algorithm>

#include <cooperative_groups.h>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/saxpy.hpp"

namespace cg = cooperative_groups;

__global__ void saxpy_kernel(int n, float a, const float* x, float* y) {
  const cg::grid_group grid = cg::this_grid();
  for (auto i = grid.thread_rank(); i < n; i += grid.size()) y[i] = a * x[i] + y[i];
}

cudaError_t saxpy_in_blocks(int n, float a, const float* d_x, float* d_y, int block_threads) {
  int sms = 0, blocks_per_sm = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  cudaError_t error = cudaSuccess;
  if (block_threads > 0)
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_sm, saxpy_kernel, block_threads, 0);
  const int most = std::max(1, sms * blocks_per_sm);
  const int blocks = block_threads > 0 ? std::min(lab::ceil_div(n, block_threads), most) : 1;
  void* arguments[] = {&n, &a, &d_x, &d_y};
  error = cudaLaunchCooperativeKernel((void*)saxpy_kernel, blocks, block_threads, arguments, 0, 0);
  return cudaGetLastError() == cudaSuccess ? cudaSuccess : error;
}

void saxpy(int n, float a, const float* d_x, float* d_y) { CUDA_CHECK(saxpy_in_blocks(n, a, d_x, d_y, 256)); }

// The host copies both arrays to one pinned buffer, and one transfer brings them to the device.
void saxpy_from_host(int n, float a, const float* h_x, float* h_y) {
  const size_t bytes = 2 * sizeof(float) * n;
  float *pinned, *d_both;
  CUDA_CHECK(cudaMallocHost(&pinned, bytes));
  CUDA_CHECK(cudaMalloc(&d_both, bytes));
  std::copy_n(h_x, n, pinned);
  std::copy_n(h_y, n, pinned + n);
  CUDA_CHECK(cudaMemcpyAsync(d_both, pinned, bytes, cudaMemcpyHostToDevice));
  saxpy(n, a, d_both, d_both + n);
  CUDA_CHECK(cudaMemcpyAsync(pinned, d_both + n, bytes / 2, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaDeviceSynchronize());
  std::copy_n(pinned, n, h_y);
  CUDA_CHECK(cudaFree(d_both));
  CUDA_CHECK(cudaFreeHost(pinned));
}
