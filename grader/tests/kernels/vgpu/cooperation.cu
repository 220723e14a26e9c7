// Threads that work together, as nvcc compiles cooperative groups and libcu++. cooperation.ptx is made by:
// nvcc -arch=sm_80 -std=c++17 -ptx cooperation.cu
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/barrier>

namespace cg = cooperative_groups;

/// Each block doubles its left neighbour's number, all at the same time, `rounds` times.
extern "C" __global__ void shift(int* data, int rounds) {
  const cg::grid_group grid = cg::this_grid();
  for (int round = 0; round < rounds; ++round) {
    const int left = data[(blockIdx.x + gridDim.x - 1) % gridDim.x];
    grid.sync();
    if (threadIdx.x == 0) data[blockIdx.x] = 2 * left;
    auto arrival = grid.barrier_arrive();
    grid.barrier_wait(std::move(arrival));
  }
}

extern "C" __global__ void groups(int* data) {
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const auto eight = cg::tiled_partition<8>(warp);
  const int rank = block.thread_rank();
  int value = cg::reduce(eight, rank, cg::plus<int>());
  value += 1000 * cg::inclusive_scan(eight, 1);
  if (rank % 3 == 0) value += 10000 * cg::coalesced_threads().size();
  const auto thirds = cg::labeled_partition(warp, rank % 3);
  value += 1000000 * thirds.size();
  block.sync();
  data[rank] = value;
}

/// A barrier object in shared memory: arrive, do something else, wait.
extern "C" __global__ void phases(int* data) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ int shared[128];
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  for (int phase = 0; phase < 3; ++phase) {
    shared[threadIdx.x] = data[threadIdx.x] + 1;
    auto token = barrier.arrive();
    barrier.wait(std::move(token));
    data[threadIdx.x] = shared[(threadIdx.x + 1) % blockDim.x];
    barrier.arrive_and_wait();
  }
}

/// The threads of all blocks wait for one another. No cooperative launch is needed if they fit on the device.
extern "C" __global__ void gather(int* count) {
  cuda::atomic_ref<int, cuda::thread_scope_device> arrived(*count);
  arrived.fetch_add(1, cuda::memory_order_release);
  while (arrived.load(cuda::memory_order_acquire) < static_cast<int>(gridDim.x * blockDim.x)) {
  }
}

extern "C" __global__ void votes(int* data) {
  const bool odd = data[threadIdx.x] % 2 != 0;
  const int count = __syncthreads_count(odd);
  const bool all = __syncthreads_and(odd);
  const bool any = __syncthreads_or(odd);
  data[threadIdx.x] = count + (all ? 1000 : 0) + (any ? 2000 : 0);
}

/// A lock that one thread of each warp takes for its warp.
__device__ int lock;
extern "C" __global__ void locked(int* sum) {
  if (threadIdx.x % 32 != 0) return;
  while (atomicCAS(&lock, 0, 1) != 0) __nanosleep(20);
  __threadfence();
  *static_cast<volatile int*>(sum) += 1;
  __threadfence();
  atomicExch(&lock, 0);
}
