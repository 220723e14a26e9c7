// Idea: elements come through texture objects; intermediate results are in managed memory, kept between
// calls.

#include <cmath>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/reduction.hpp"

constexpr unsigned kMask = 0xffffffff;

template <class T>
cudaTextureObject_t texture_of(const T* d_in, int n) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {const_cast<T*>(d_in), cudaCreateChannelDesc<T>(), n * sizeof(T)};
  cudaTextureDesc texture = {};
  texture.readMode = cudaReadModeElementType;
  cudaTextureObject_t made;
  CUDA_CHECK(cudaCreateTextureObject(&made, &resource, &texture, nullptr));
  return made;
}

void destroy(cudaTextureObject_t texture) {
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaDestroyTextureObject(texture));
}

__global__ void add_kernel(cudaTextureObject_t A, const float* B, float* C, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) C[i] = tex1Dfetch<float>(A, i) + B[i];
}

void vector_add(const float* d_A, const float* d_B, float* d_C, int n, int* h_warps) {
  const cudaTextureObject_t A = texture_of(d_A, n);
  add_kernel<<<lab::ceil_div(n, 256), 256>>>(A, d_B, d_C, n);
  destroy(A);
  h_warps[0] = lab::ceil_div(n, 256) * 8;
  h_warps[1] = n % 32 > 0;
}

__global__ void block_sums_kernel(cudaTextureObject_t in, float* sums) {
  __shared__ float partial[512];
  const int t = threadIdx.x;
  partial[t] = tex1Dfetch<float>(in, blockIdx.x * 512 + t);  // 0 beyond the end
  for (int stride = 256; stride >= 1; stride /= 2) {
    __syncthreads();
    if (t < stride) partial[t] += partial[t + stride];
  }
  if (t == 0) sums[blockIdx.x] = partial[0];
}

void block_sums(const float* d_in, float* d_sums, int n) {
  const cudaTextureObject_t in = texture_of(d_in, n);
  block_sums_kernel<<<lab::ceil_div(n, 512), 512>>>(in, d_sums);
  destroy(in);
}

// Sums of groups of 4 lanes, then of groups of 32.
__device__ float warp_sum(float v) {
  v += __shfl_xor_sync(kMask, v, 1, 4);
  v += __shfl_xor_sync(kMask, v, 2, 4);
  v += __shfl_down_sync(kMask, v, 4);
  v += __shfl_down_sync(kMask, v, 8);
  return v + __shfl_down_sync(kMask, v, 16);
}

__global__ void block_sums_shuffle_kernel(cudaTextureObject_t in, float* sums) {
  __shared__ float warps[16];
  const float sum = warp_sum(tex1Dfetch<float>(in, blockIdx.x * 512 + threadIdx.x));
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    const float all = warp_sum(threadIdx.x < 16 ? warps[threadIdx.x] : 0.0f);
    if (threadIdx.x == 0) sums[blockIdx.x] = all;
  }
}

void block_sums_shuffle(const float* d_in, float* d_sums, int n) {
  const cudaTextureObject_t in = texture_of(d_in, n);
  block_sums_shuffle_kernel<<<lab::ceil_div(n, 512), 512>>>(in, d_sums);
  destroy(in);
}

__managed__ float of_blocks[64];
__managed__ int launches;  // how many reductions there were

template <bool kMax>
__global__ void reduce_kernel(const float* __restrict__ in, float* out, int n) {
  __shared__ float shared[256];
  float value = kMax ? -INFINITY : 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
    value = kMax ? fmaxf(value, in[i]) : value + in[i];
  shared[threadIdx.x] = value;
  __syncthreads();
  for (int half = 128; half >= 1; half /= 2) {
    if (threadIdx.x < half) {
      const float other = shared[threadIdx.x + half];
      shared[threadIdx.x] = value = kMax ? fmaxf(value, other) : value + other;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = value;
}

template <bool kMax>
void reduce(const float* d_in, float* d_out, int n) {
  CUDA_CHECK(cudaDeviceSynchronize());
  ++launches;
  const int blocks = n >= 64 * 256 ? 64 : lab::ceil_div(n, 256);
  float* between = of_blocks;  // for sums, the host's address of the variable
  if constexpr (kMax) CUDA_CHECK(cudaGetSymbolAddress((void**)&between, of_blocks));
  reduce_kernel<kMax><<<blocks, 256>>>(d_in, between, n);
  reduce_kernel<kMax><<<1, 256>>>(between, d_out, blocks);
  CUDA_CHECK(cudaGetLastError());
}

void reduce_sum(const float* d_in, float* d_sum, int n) { reduce<false>(d_in, d_sum, n); }
void reduce_max(const float* d_in, float* d_max, int n) { reduce<true>(d_in, d_max, n); }

__global__ void votes_kernel(cudaTextureObject_t in, int* counts, int* any, int* all, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const bool six = tex1Dfetch<int>(in, i) == 6;  // beyond the end there are zeros
  const int count = __popc(__ballot_sync(kMask, six));
  const int some = __any_sync(kMask, six) != 0, every = __all_sync(kMask, six || i >= n) != 0;
  if (i % 32 == 0 && i < n) counts[i / 32] = count, any[i / 32] = some, all[i / 32] = every;
}

void six_votes(const int* d_in, int* d_counts, int* d_any, int* d_all, int n) {
  const cudaTextureObject_t in = texture_of(d_in, n);
  votes_kernel<<<lab::ceil_div(n, 256), 256>>>(in, d_counts, d_any, d_all, n);
  destroy(in);
}

__global__ void six_atomic_kernel(cudaTextureObject_t in, int* count) {
  if (tex1Dfetch<int>(in, blockIdx.x * 256 + threadIdx.x) == 6) atomicAdd(count, 1);
}

void count_six_atomic(const int* d_in, int* d_count, int n) {
  const cudaTextureObject_t in = texture_of(d_in, n);
  CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof(int)));
  six_atomic_kernel<<<lab::ceil_div(n, 256), 256>>>(in, d_count);
  destroy(in);
}

__global__ void count_kernel(cudaTextureObject_t in, int* count, int n) {
  int sixes = 0;
  for (int first = blockIdx.x * 256; first < n; first += gridDim.x * 256)
    sixes += __syncthreads_count(tex1Dfetch<int>(in, first + threadIdx.x) == 6);
  if (threadIdx.x == 0) atomicAdd(count, sixes);
}

void count_six(const int* d_in, int* d_count, int n) {
  const cudaTextureObject_t in = texture_of(d_in, n);
  CUDA_CHECK(cudaMemsetAsync(d_count, 0, sizeof(int)));
  count_kernel<<<32, 256>>>(in, d_count, n);
  destroy(in);
}
