// Features that nvcc supports by itself and clang with the help of the kit's headers.
#include <cstdio>

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;

#define MUST(call)                                              \
  if (const cudaError_t error_ = (call); error_ != cudaSuccess) \
  return std::printf("%s: %s\n", #call, cudaGetErrorString(error_)), 1

constexpr int kThreads = 64;

// ---- managed variables ----

__managed__ int counter = 7;
__device__ __managed__ float table[3] = {1, 2, 3};
static __managed__ struct {
  char letter;
  double number;
} pair = {'p', 2.5};

__global__ void change_variables(int* same_counter) {
  counter += 5;
  *same_counter += 100;
  table[1] = static_cast<float>(counter);
  pair.letter = 'q';
}

int managed_variables() {
  std::printf("managed: %d %g", counter, table[2]);
  counter = 20;
  change_variables<<<1, 1>>>(&table[0] == table ? &counter : nullptr);
  MUST(cudaDeviceSynchronize());
  std::printf(" %d %g %c %g", counter, table[1], pair.letter, pair.number);
  cudaPointerAttributes attributes;
  MUST(cudaPointerGetAttributes(&attributes, &counter));
  std::printf(" %s\n", attributes.type == cudaMemoryTypeManaged ? "managed" : "other");
  return 0;
}

// ---- groups ----

template <class Group>
__device__ int facts_of(const Group& group) {
  return static_cast<int>(group.num_threads() * 100 + group.thread_rank());
}

__global__ void group_facts(int* out) {
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<8>(block);
  const auto half = cg::tiled_partition<4>(tile);
  const int rank = block.thread_rank();
  const cg::thread_group any = cg::tiled_partition(block, 16);
  int value = facts_of(tile) + 3 * facts_of(half) +
              5 * static_cast<int>(any.size() * 100 + any.thread_rank()) + 7 * facts_of(cg::this_thread());
  value += tile.meta_group_rank() * 11 + tile.meta_group_size() * 13 + half.meta_group_rank() * 17;
  value += cg::inclusive_scan(tile, rank) + 19 * cg::exclusive_scan(tile, rank);
  value += 23 * tile.shfl_up(rank, 3) + 29 * tile.shfl_down(rank, 2) + 31 * tile.shfl_xor(rank, 5);
  value += 37 * tile.match_any(rank % 3);
  const auto thirds = cg::labeled_partition(tile, rank % 3);
  value += 41 * facts_of(thirds) + 43 * thirds.meta_group_size() + 47 * thirds.shfl(rank, 1);
  if (rank % 3 != 1) {
    const auto some = cg::coalesced_threads();
    value += 53 * facts_of(some) + 59 * cg::reduce(some, rank, cg::plus<int>());
    value += 61 * some.shfl_up(rank, 1) + some.ballot(rank % 2) % 67;
    value += 71 * cg::inclusive_scan(some, rank % 5, cg::greater<int>());
  }
  const double sum = cg::reduce(tile, 0.5 * rank, cg::plus<double>());
  cg::sync(block);
  out[rank] = value + static_cast<int>(2 * sum) + 73 * (block.group_dim().x + block.thread_index().x);
}

__global__ void rounds(int* data, int count) {
  const cg::grid_group grid = cg::this_grid();
  for (int round = 0; round < count; ++round) {
    const int left = data[(blockIdx.x + gridDim.x - 1) % gridDim.x];
    grid.sync();
    if (threadIdx.x == 0) data[blockIdx.x] = left + static_cast<int>(grid.num_blocks());
    grid.sync();
  }
}

__global__ void copies(const float* in, float* out) {
  __shared__ float tile[kThreads];
  const auto block = cg::this_thread_block();
  cg::memcpy_async(block, tile, in, sizeof tile);
  cg::wait(block);
  out[block.thread_rank()] = tile[kThreads - 1 - block.thread_rank()];
}

__global__ void leaders(int* out) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  cg::invoke_one(
      tile, [&](int more) { atomicAdd(out, more); }, 3);
  const int number = cg::invoke_one_broadcast(tile, [&] { return static_cast<int>(tile.meta_group_rank()); });
  atomicAdd(out + 1, number);
}

int groups() {
  int* device = nullptr;
  int host[kThreads];
  MUST(cudaMalloc(&device, sizeof host));
  group_facts<<<{1, 1}, {kThreads}>>>(device);
  MUST(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
  unsigned sum = 0;
  for (const int one : host) sum = sum * 31 + static_cast<unsigned>(one);
  std::printf("groups: %d %d %u\n", host[0], host[63], sum);

  MUST(cudaMemset(device, 0, sizeof host));
  int count = 3;
  void* arguments[] = {&device, &count};
  MUST(cudaLaunchCooperativeKernel(rounds, 4, kThreads, arguments));
  MUST(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
  std::printf("grid: %d %d\n", host[0], host[3]);

  MUST(cudaMemset(device, 0, sizeof host));
  void* one_argument[] = {&device};
  void* kernel = reinterpret_cast<void*>(leaders);
  MUST(cudaLaunchKernel(kernel, 1, kThreads, one_argument));
  MUST(cudaLaunchCooperativeKernel(kernel, 1, kThreads, one_argument));
  MUST(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
  std::printf("leaders: %d %d\n", host[0], host[1]);

  float numbers[kThreads];
  for (int i = 0; i < kThreads; ++i) numbers[i] = static_cast<float>(i);
  float *from = nullptr, *to = nullptr;
  MUST(cudaMalloc(&from, sizeof numbers));
  MUST(cudaMalloc(&to, sizeof numbers));
  MUST(cudaMemcpy(from, numbers, sizeof numbers, cudaMemcpyHostToDevice));
  copies<<<1, kThreads>>>(from, to);
  MUST(cudaMemcpy(numbers, to, sizeof numbers, cudaMemcpyDeviceToHost));
  std::printf("copies: %g %g\n", numbers[0], numbers[kThreads - 1]);
  return 0;
}

// ---- channels ----

template <class T>
void print_channels() {
  const cudaChannelFormatDesc channels = cudaCreateChannelDesc<T>();
  std::printf(" %d.%d.%d.%d:%d", channels.x, channels.y, channels.z, channels.w, channels.f);
}

int channels() {
  std::printf("channels:");
  print_channels<float>();
  print_channels<float4>();
  print_channels<uchar2>();
  print_channels<char>();
  print_channels<unsigned short>();
  print_channels<int1>();
  print_channels<dim3>();
  std::printf("\n");
  return 0;
}

// ---- numbers of different signs, and waits for a number of copies that is no constant ----

__global__ void stages(const float* in, float* out, int rounds) {
  __shared__ float tile[2][kThreads];
  const unsigned t = threadIdx.x;
  float sum = 0;
  for (int i = 0; i <= rounds; ++i) {
    if (i < rounds) __pipeline_memcpy_async(&tile[i % 2][t], &in[min(t, kThreads - 1 - i)], sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(i < rounds ? 1 : 0);
    if (i > 0) sum += tile[(i - 1) % 2][t];
  }
  out[t] = sum;
}

int mixed() {
  float numbers[kThreads], *from = nullptr, *to = nullptr;
  for (float& one : numbers) one = static_cast<float>(&one - numbers);
  for (float** memory : {&from, &to}) MUST(cudaMalloc(memory, sizeof numbers));
  MUST(cudaMemcpy(from, numbers, sizeof numbers, cudaMemcpyHostToDevice));
  stages<<<1, kThreads>>>(from, to, 3);
  MUST(cudaMemcpy(numbers, to, sizeof numbers, cudaMemcpyDeviceToHost));
  std::printf("mixed: %g %g %d %d\n", numbers[1], numbers[kThreads - 1], max(-1, 5u) == 0xffffffffu,
              min(-1ll, 5ull) == 5);
  return 0;
}

extern "C" int run(const char*) { return managed_variables() + groups() + channels() + mixed(); }
