// The kernel counts warps, and those that diverge, with votes; the host copies the numbers that it should calculate.
#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/reduction.hpp"

__device__ unsigned seen[2];

__global__ void add_kernel(const float* A, const float* B, float* C, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned votes = __ballot_sync(~0u, i < n);
  if (threadIdx.x % 32 == 0) {
    atomicAdd(&seen[0], 1u);
    if (votes != 0 && votes != ~0u) atomicAdd(&seen[1], 1u);
  }
  if (i < n) C[i] = A[i] + B[i];
}

void vector_add(const float* d_A, const float* d_B, float* d_C, int n, int* h_warps) {
  const unsigned none[2] = {0, 0};
  CUDA_CHECK(cudaMemcpyToSymbol(seen, none, sizeof none));
  add_kernel<<<lab::ceil_div(n, 256), 256>>>(d_A, d_B, d_C, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpyFromSymbol(h_warps, seen, sizeof none));
}

void block_sums(const float*, float*, int) {}
void block_sums_shuffle(const float*, float*, int) {}
void reduce_sum(const float*, float*, int) {}
void reduce_max(const float*, float*, int) {}
void six_votes(const int*, int*, int*, int*, int) {}
void count_six_atomic(const int*, int*, int) {}
void count_six(const int*, int*, int) {}
