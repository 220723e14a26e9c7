// Copies that run asynchronously to the threads, with every interface that CUDA has for them. All but the
// last kernel are right: the checks must find nothing. With an argument the last one is run, too.
#include <cstdio>

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;
constexpr int N = 256, T = 16;  // threads, rounds
/// Two stages with the pipeline primitives.
__global__ void primitives(const float* in, float* out) {
  __shared__ float tile[2][N];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[0][t], &in[t], 4);
  __pipeline_commit();
  float s = 0;
  for (int i = 0; i < T; ++i) {
    if (i + 1 < T) __pipeline_memcpy_async(&tile[(i + 1) & 1][t], &in[(i + 1) * N + t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    s += tile[i & 1][N - 1 - t];
    __syncthreads();
  }
  out[t] = s;
}
/// The whole block copies a tile and waits.
__global__ void with_cg(const float* in, float* out) {
  __shared__ float tile[N];
  auto block = cg::this_thread_block();
  float s = 0;
  for (int i = 0; i < T; ++i) {
    cg::memcpy_async(block, tile, in + i * N, sizeof tile);
    cg::wait(block);
    s += tile[N - 1 - threadIdx.x];
    block.sync();
  }
  out[threadIdx.x] = s;
}
/// Each thread copies an element; all threads wait at an mbarrier.
__global__ void with_barrier(const float* in, float* out) {
  __shared__ float tile[N];
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  auto block = cg::this_thread_block();
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  float s = 0;
  for (int i = 0; i < T; ++i) {
    cuda::memcpy_async(&tile[threadIdx.x], &in[i * N + threadIdx.x], 4, bar);
    bar.arrive_and_wait();
    s += tile[N - 1 - threadIdx.x];
    bar.arrive_and_wait();
  }
  out[threadIdx.x] = s;
}
/// A pipeline of the whole block.
template <int kStages>
__global__ void with_pipeline(const float* in, float* out) {
  __shared__ float tile[kStages][N];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  float s = 0;
  int fetch = 0;
  for (int i = 0; i < T; ++i) {
    for (; fetch < T && fetch < i + kStages; ++fetch) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, tile[fetch % kStages], in + fetch * N, cuda::aligned_size_t<16>(N * 4), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    s += tile[i % kStages][N - 1 - threadIdx.x];
    pipe.consumer_release();
  }
  out[threadIdx.x] = s;
}
/// One half of the block copies data for the other half.
__global__ void producer_consumer(const float* in, float* out) {
  __shared__ float tile[2][N];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  const bool produces = threadIdx.x < N / 2;
  auto pipe = cuda::make_pipeline(block, &state,
                                  produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  float s = 0;
  for (int i = 0; i < T; ++i) {
    if (produces) {
      pipe.producer_acquire();
      for (int j = threadIdx.x; j < N; j += N / 2)
        cuda::memcpy_async(&tile[i & 1][j], &in[i * N + j], 4, pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      for (int j = 0; j < N; j += 37) s += tile[i & 1][(j + threadIdx.x) % N];
      pipe.consumer_release();
    }
  }
  out[threadIdx.x] = s;
}
/// Wrong: the barrier orders threads, but does not wait for copies.
__global__ void not_awaited(const float* in, float* out) {
  __shared__ float tile[N];
  __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], 4);
  __pipeline_commit();
  __syncthreads();
  out[threadIdx.x] = tile[N - 1 - threadIdx.x];
  __pipeline_wait_prior(0);
}
static void show(const char* name, float* out) {
  float values[N];
  cudaMemcpy(values, out, sizeof values, cudaMemcpyDeviceToHost);
  float sum = 0;
  for (const float value : values) sum += value;
  std::printf("%s %s %.0f\n", name, cudaGetErrorName(cudaGetLastError()), sum);
}

int main(int argc, char**) {
  float numbers[T * N], *in = nullptr, *out = nullptr;
  for (int i = 0; i < T * N; ++i) numbers[i] = static_cast<float>(i % 97);
  cudaMalloc(&in, sizeof numbers);
  cudaMalloc(&out, N * sizeof(float));
  cudaMemcpy(in, numbers, sizeof numbers, cudaMemcpyHostToDevice);
  primitives<<<1, N>>>(in, out);
  show("primitives", out);
  with_cg<<<1, N>>>(in, out);
  show("cooperative groups", out);
  with_barrier<<<1, N>>>(in, out);
  show("barrier", out);
  with_pipeline<2><<<1, N>>>(in, out);
  show("two stages", out);
  with_pipeline<3><<<1, N>>>(in, out);
  show("three stages", out);
  producer_consumer<<<1, N>>>(in, out);
  show("producers and consumers", out);
  if (argc > 1) {
    not_awaited<<<1, N>>>(in, out);
    show("not awaited", out);
  }
  cudaFree(in);
  cudaFree(out);
  return 0;
}
