// Accepted: for any n, the tree in shared memory down to 64 values, and shuffles for the last 32. Sums of
// several blocks are combined by one atomicAdd each, in any order; maxima by an atomic on integers of the
// same order. Sums of one block are added in two levels of shuffles, the second one in half a warp.

#include <cfloat>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/reduction.hpp"

#define FULL_WARP 0xffffffffu

__global__ void vector_add_kernel(const float* A, const float* B, float* C, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i >= n) return;
  C[i] = A[i] + B[i];
}

void vector_add(const float* d_A, const float* d_B, float* d_C, int n, int* h_warps) {
  dim3 block(256), grid(lab::ceil_div(n, 256));
  vector_add_kernel<<<grid, block>>>(d_A, d_B, d_C, n);
  CUDA_CHECK(cudaGetLastError());
  // Counted warp by warp, as the lecture does.
  h_warps[0] = h_warps[1] = 0;
  for (int first = 0; first < int(grid.x) * 256; first += 32) {
    ++h_warps[0];
    if (first < n && n < first + 32) ++h_warps[1];
  }
}

__global__ void sums_by_tree(const float* in, float* sums, int n) {
  __shared__ float part[512];
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;
  part[t] = 0;
  if (i < n) part[t] = in[i];
  for (int stride = blockDim.x >> 1; stride > 0; stride >>= 1) {
    __syncthreads();
    if (t < stride) part[t] += part[t + stride];
  }
  if (t == 0) sums[blockIdx.x] = part[0];
}

void block_sums(const float* d_in, float* d_sums, int n) {
  sums_by_tree<<<lab::ceil_div(n, 512), 512>>>(d_in, d_sums, n);
  CUDA_CHECK(cudaGetLastError());
}

// Thread 0 gets the sum of part[0] to part[2 * first_stride - 1]; all threads of the block call it.
__device__ float finish_sum(float* part, int first_stride) {
  int t = threadIdx.x;
  __syncthreads();
  for (int stride = first_stride; stride > 32; stride /= 2) {
    if (t < stride) part[t] += part[t + stride];
    __syncthreads();
  }
  float sum = 0;
  if (t < 32) {
    sum = part[t] + part[t + 32];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(FULL_WARP, sum, offset);
  }
  return sum;
}

__device__ float finish_max(float* part, int first_half) {
  int t = threadIdx.x;
  __syncthreads();
  for (int half = first_half; half > 32; half /= 2) {
    if (t < half) part[t] = fmaxf(part[t], part[t + half]);
    __syncthreads();
  }
  float largest = -FLT_MAX;
  if (t < 32) {
    largest = fmaxf(part[t], part[t + 32]);
    for (int offset = 16; offset > 0; offset /= 2)
      largest = fmaxf(largest, __shfl_down_sync(FULL_WARP, largest, offset));
  }
  return largest;
}

__global__ void sums_by_shuffle(const float* in, float* sums, int n) {
  __shared__ float of_warps[16];
  int t = threadIdx.x;
  int i = blockIdx.x * 512 + t;
  float sum = i < n ? in[i] : 0.0f;
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(FULL_WARP, sum, offset);
  if (t % 32 == 0) of_warps[t / 32] = sum;
  __syncthreads();
  if (t >= 16) return;
  sum = of_warps[t];
  for (int offset = 8; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffff, sum, offset, 16);
  if (t == 0) sums[blockIdx.x] = sum;
}

void block_sums_shuffle(const float* d_in, float* d_sums, int n) {
  sums_by_shuffle<<<lab::ceil_div(n, 512), 512>>>(d_in, d_sums, n);
  CUDA_CHECK(cudaGetLastError());
}

int blocks_for(int n) {
  int sms;
  CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  int needed = lab::ceil_div(n, 512);
  return needed < 3 * sms ? needed : 3 * sms;
}

__global__ void add_everything(const float* in, float* out, int n) {
  __shared__ float part[512];
  float own = 0;
  for (int i = blockIdx.x * 512 + threadIdx.x; i < n; i += gridDim.x * 512) own += in[i];
  part[threadIdx.x] = own;
  float sum = finish_sum(part, 256);
  if (threadIdx.x == 0) atomicAdd(out, sum);
}

void reduce_sum(const float* d_in, float* d_sum, int n) {
  CUDA_CHECK(cudaMemset(d_sum, 0, sizeof(float)));
  add_everything<<<blocks_for(n), 512>>>(d_in, d_sum, n);
  CUDA_CHECK(cudaGetLastError());
}

// Bit patterns of negative floats have the reverse order: with these inverted, integers order like floats.
__device__ int to_ordered(float value) {
  int bits = __float_as_int(value);
  return bits < 0 ? bits ^ 0x7fffffff : bits;
}

__device__ int ordered_max;

__global__ void start_max() { ordered_max = to_ordered(-FLT_MAX); }

__global__ void largest_of_all(const float* in, int n) {
  __shared__ float part[512];
  float own = -FLT_MAX;
  for (int i = blockIdx.x * 512 + threadIdx.x; i < n; i += gridDim.x * 512) own = fmaxf(own, in[i]);
  part[threadIdx.x] = own;
  float largest = finish_max(part, 256);
  if (threadIdx.x == 0) atomicMax(&ordered_max, to_ordered(largest));
}

__global__ void store_max(float* out) {
  int bits = ordered_max;
  *out = __int_as_float(bits < 0 ? bits ^ 0x7fffffff : bits);
}

void reduce_max(const float* d_in, float* d_max, int n) {
  start_max<<<1, 1>>>();
  largest_of_all<<<blocks_for(n), 512>>>(d_in, n);
  store_max<<<1, 1>>>(d_max);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void six_votes_kernel(const int* in, int* counts, int* any, int* all, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x & 31;
  int six = i < n ? in[i] == 6 : 0;
  int spoils = i < n ? !six : 0;
  int count = __popc(__ballot_sync(FULL_WARP, six));
  int some = __any_sync(FULL_WARP, six) ? 1 : 0;
  int none_spoils = __all_sync(FULL_WARP, !spoils) ? 1 : 0;
  if (lane == 0 && i < n) {
    counts[i >> 5] = count;
    any[i >> 5] = some;
    all[i >> 5] = none_spoils;
  }
}

void six_votes(const int* d_in, int* d_counts, int* d_any, int* d_all, int n) {
  six_votes_kernel<<<lab::ceil_div(n, 128), 128>>>(d_in, d_counts, d_any, d_all, n);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void one_atomic_each(const int* in, int* count, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    if (in[i] == 6) atomicAdd(count, 1);
}

void count_six_atomic(const int* d_in, int* d_count, int n) {
  CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof *d_count, 0));
  one_atomic_each<<<blocks_for(n), 512>>>(d_in, d_count, n);
  CUDA_CHECK(cudaGetLastError());
}

__global__ void vote_and_add(const int* in, int* count, int n) {
  int lane = threadIdx.x & 31;
  int warps = gridDim.x * blockDim.x / 32;
  int sixes = 0;
  for (int group = (blockIdx.x * blockDim.x + threadIdx.x) / 32; group * 32 < n; group += warps) {
    int i = group * 32 + lane;
    bool six = i < n && in[i] == 6;
    unsigned votes = __ballot_sync(FULL_WARP, six);
    if (__any_sync(FULL_WARP, six)) sixes += __popc(votes);
  }
  if (lane == 0) atomicAdd(count, sixes);
}

void count_six(const int* d_in, int* d_count, int n) {
  CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof *d_count, 0));
  vote_and_add<<<blocks_for(n), 512>>>(d_in, d_count, n);
  CUDA_CHECK(cudaGetLastError());
}
