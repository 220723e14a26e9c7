// Idea: the tree of "CUDA by Example" in blocks of two dimensions; the maximum by encoded integers.
#include <cmath>
#include <cstdio>

#include "lab/check.hpp"
#include "lab/reduction.hpp"
#define imin(a, b) (a < b ? a : b)
static void HandleError(cudaError_t err, const char* file, int line) {
  if (err != cudaSuccess) {
    printf("%s in %s at line %d\n", cudaGetErrorString(err), file, line);
    exit(EXIT_FAILURE);
  }
}
#define HANDLE_ERROR(err) (HandleError(err, __FILE__, __LINE__))
__global__ void add(const float* a, const float* b, float* c, int N) {
  int tid = threadIdx.x + blockIdx.x * blockDim.x;
  while (tid < N) {
    c[tid] = a[tid] + b[tid];
    tid += blockDim.x * gridDim.x;
  }
}
void vector_add(const float* d_A, const float* d_B, float* d_C, int n, int* h_warps) {
  add<<<(n + 255) / 256, 256>>>(d_A, d_B, d_C, n);
  HANDLE_ERROR(cudaGetLastError());
  h_warps[0] = (n + 255) / 256 * 8;
  h_warps[1] = 0;
  for (int w = 0; w < h_warps[0]; ++w)
    if (w * 32 < n && n < w * 32 + 32) h_warps[1]++;
}
__global__ void dot(const float* a, float* c, int N) {
  __shared__ float cache[512];
  int cacheIndex = threadIdx.y * 32 + threadIdx.x;
  int tid = cacheIndex + blockIdx.x * 512;
  float temp = 0;
  if (tid < N) temp = a[tid];
  cache[cacheIndex] = temp;
  __syncthreads();
  int i = blockDim.x * blockDim.y / 2;
  while (i != 0) {
    if (cacheIndex < i) cache[cacheIndex] += cache[cacheIndex + i];
    __syncthreads();
    i /= 2;
  }
  if (cacheIndex == 0) c[blockIdx.x] = cache[0];
}
void block_sums(const float* d_in, float* d_sums, int n) {
  dot<<<(n + 511) / 512, dim3(32, 16)>>>(d_in, d_sums, n);
  HANDLE_ERROR(cudaGetLastError());
}
// warp-per-row: dim3(32, 16), y is the warp
__global__ void shfl(const float* a, float* c, int N) {
  __shared__ float of_warp[16];
  int tid = (blockIdx.x * blockDim.y + threadIdx.y) * 32 + threadIdx.x;
  float v = tid < N ? a[tid] : -0.0f;
  v += __shfl_down_sync(0xffffffff, v, 16);
  v += __shfl_down_sync(0xffffffff, v, 8);
  v += __shfl_down_sync(0xffffffff, v, 4);
  v += __shfl_down_sync(0xffffffff, v, 2);
  v += __shfl_down_sync(0xffffffff, v, 1);
  if (threadIdx.x == 0) of_warp[threadIdx.y] = v;
  __syncthreads();
  if (threadIdx.y == 0 && threadIdx.x < 16) {
    v = of_warp[threadIdx.x];
    v += __shfl_down_sync(0x0000ffff, v, 8, 16);
    v += __shfl_down_sync(0x0000ffff, v, 4, 16);
    v += __shfl_down_sync(0x0000ffff, v, 2, 16);
    v += __shfl_down_sync(0x0000ffff, v, 1, 16);
    if (threadIdx.x == 0) c[blockIdx.x] = v;
  }
}
void block_sums_shuffle(const float* d_in, float* d_sums, int n) {
  shfl<<<(n + 511) / 512, dim3(32, 16)>>>(d_in, d_sums, n);
  HANDLE_ERROR(cudaGetLastError());
}
const int threadsPerBlock = 256;
__global__ void sum_kernel(const float* a, float* c, int N) {
  __shared__ float cache[threadsPerBlock / 32];
  int tid = threadIdx.x + blockIdx.x * blockDim.x;
  float temp = 0;
  while (tid < N) {
    temp += a[tid];
    tid += blockDim.x * gridDim.x;
  }
  for (int o = 16; o > 0; o /= 2) temp += __shfl_xor_sync(0xffffffff, temp, o);
  if (threadIdx.x % 32 == 0) cache[threadIdx.x / 32] = temp;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < threadsPerBlock / 32; i++) temp += cache[i];
    atomicAdd(c, temp);
  }
}
void reduce_sum(const float* d_in, float* d_sum, int n) {
  HANDLE_ERROR(cudaMemset(d_sum, 0, sizeof(float)));
  const int blocksPerGrid = imin(96, (n + threadsPerBlock - 1) / threadsPerBlock);
  sum_kernel<<<blocksPerGrid, threadsPerBlock>>>(d_in, d_sum, n);
  HANDLE_ERROR(cudaGetLastError());
}
__device__ float atomicMaxFloat(float* addr, float value) {
  // non-negative floats are ordered as ints, negative ones in reverse as unsigned
  return value >= 0 ? __int_as_float(atomicMax((int*)addr, __float_as_int(value + 0.0f)))
                    : __uint_as_float(atomicMin((unsigned int*)addr, __float_as_uint(value)));
}
__global__ void fill(float* p, float v) { *p = v; }
__global__ void max_kernel(const float* a, float* c, int N) {
  int tid = threadIdx.x + blockIdx.x * blockDim.x;
  float temp = -HUGE_VALF;
  for (; tid < N; tid += blockDim.x * gridDim.x) temp = fmaxf(temp, a[tid]);
  for (int o = 16; o > 0; o /= 2) temp = fmaxf(temp, __shfl_down_sync(0xffffffff, temp, o));
  if (threadIdx.x % 32 == 0) atomicMaxFloat(c, temp);
}
void reduce_max(const float* d_in, float* d_max, int n) {
  fill<<<1, 1>>>(d_max, -HUGE_VALF);
  HANDLE_ERROR(cudaGetLastError());
  max_kernel<<<imin(96, (n + threadsPerBlock - 1) / threadsPerBlock), threadsPerBlock>>>(d_in, d_max, n);
  HANDLE_ERROR(cudaGetLastError());
}
__global__ void votes(const int* in, int* counts, int* any, int* all, int n) {
  const int group = blockIdx.x * blockDim.y + threadIdx.y;
  if (group * 32 >= n) return;  // a whole warp
  const int i = group * 32 + threadIdx.x;
  int v = i < n ? in[i] : -1;
  int c = __reduce_add_sync(0xffffffff, v == 6);
  int have = min(32, n - group * 32);
  switch (threadIdx.x) {
    case 0:
      counts[group] = c;
      break;
    case 1:
      any[group] = c > 0;
      break;
    case 2:
      all[group] = c == have;
      break;
  }
}
void six_votes(const int* d_in, int* d_counts, int* d_any, int* d_all, int n) {
  int groups = (n + 31) / 32;
  votes<<<(groups + 7) / 8, dim3(32, 8)>>>(d_in, d_counts, d_any, d_all, n);
  HANDLE_ERROR(cudaGetLastError());
}
__global__ void atomic_count(const int* in, int* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) switch (in[i]) {
      case 6:
        atomicAdd(c, 1);
    }
}
void count_six_atomic(const int* d_in, int* d_count, int n) {
  HANDLE_ERROR(cudaMemset(d_count, 0, sizeof *d_count));
  atomic_count<<<(n + 127) / 128, 128>>>(d_in, d_count, n);
  HANDLE_ERROR(cudaGetLastError());
}
__global__ void warp_count(const int* in, int* c, int n) {
  int total = 0;
  const int end = (n + 31) / 32 * 32, stride = blockDim.x * gridDim.x;
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < end; i += stride) {
    int v = 0;
    if (i < n) v = in[i];
    unsigned mask = __ballot_sync(0xffffffff, v == 6);
    total += __popc(mask);
  }
  __shared__ int block_total;
  if (threadIdx.x == 0) block_total = 0;
  __syncthreads();
  if (threadIdx.x % warpSize == 0) atomicAdd(&block_total, total);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(c, block_total);
}
void count_six(const int* d_in, int* d_count, int n) {
  HANDLE_ERROR(cudaMemset(d_count, 0, sizeof *d_count));
  warp_count<<<imin(96, (n + 255) / 256), 256>>>(d_in, d_count, n);
  HANDLE_ERROR(cudaGetLastError());
}
