// What orders threads that do not meet at a barrier: flags and locks with fences; volatile accesses and
// atomic operations alone do not. bad_ must be found, ok_ must not. All take the same arguments and run in 4
// blocks of 64 threads. `out` is cleared before the launch. make.sh makes the PTX that the tests run.
#include <cuda_runtime.h>

#define KERNEL extern "C" __global__ void
#define ARGUMENTS [[maybe_unused]] const int *in, [[maybe_unused]] int *out

__device__ int lock;
__device__ volatile int flag;

// ---- volatile

KERNEL bad_volatile_neighbour_in_shared_memory(ARGUMENTS) {
  __shared__ volatile int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x < 32) out[blockIdx.x * 32 + threadIdx.x] = tile[threadIdx.x + 32];
}

KERNEL ok_volatile_neighbour_after_barrier(ARGUMENTS) {
  __shared__ volatile int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 32) out[blockIdx.x * 32 + threadIdx.x] = tile[threadIdx.x + 32];
}

KERNEL bad_volatile_neighbour_in_global_memory(ARGUMENTS) {
  volatile int* own = out + blockIdx.x * 64;
  own[threadIdx.x] = in[threadIdx.x];
  if (own[63 - threadIdx.x] == -1) out[1024] = 1;
}

KERNEL bad_volatile_sum_of_blocks(ARGUMENTS) {
  volatile int* sum = out;
  if (threadIdx.x == 0) sum[0] += in[blockIdx.x];
}

KERNEL bad_volatile_sum_of_warps(ARGUMENTS) {
  volatile int* sum = out + blockIdx.x;
  if (threadIdx.x % 32 == 0) sum[0] += in[threadIdx.x];
}

/// The last warp of a reduction, as it is written since lanes need not run in lockstep.
KERNEL ok_volatile_within_warp(ARGUMENTS) {
  __shared__ volatile int sums[64];
  const int t = threadIdx.x;
  sums[t] = in[t];
  __syncthreads();
  if (t >= 32) return;
  for (int distance = 32; distance > 0; distance /= 2) {
    const int more = sums[t + distance];
    __syncwarp();
    if (t < distance) sums[t] += more;
    __syncwarp();
  }
  if (t == 0) out[blockIdx.x] = sums[0];
}

KERNEL ok_flag_between_blocks(ARGUMENTS) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    out[0] = in[0];
    __threadfence();
    flag = 1;
  } else {
    while (flag == 0) continue;
    __threadfence();
    out[blockIdx.x] = out[0];
  }
}

KERNEL bad_flag_without_acquire(ARGUMENTS) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    out[0] = in[0];
    __threadfence();
    flag = 1;
  } else {
    while (flag == 0) continue;
    out[blockIdx.x] = out[0];
  }
}

KERNEL bad_flag_without_release(ARGUMENTS) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    out[0] = in[0];
    flag = 1;
  } else {
    while (flag == 0) continue;
    __threadfence();
    out[blockIdx.x] = out[0];
  }
}

KERNEL ok_flag_within_block(ARGUMENTS) {
  __shared__ volatile int ready;
  __shared__ int value;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    value = in[0];
    __threadfence_block();
    ready = 1;
  } else if (threadIdx.x == 32) {
    while (ready == 0) continue;
    __threadfence_block();
    out[blockIdx.x] = value;
  }
}

// ---- locks

KERNEL ok_lock(ARGUMENTS) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(&lock, 0, 1) != 0) continue;
  __threadfence();
  out[0] += in[blockIdx.x];
  __threadfence();
  atomicExch(&lock, 0);
}

KERNEL bad_lock_without_acquire(ARGUMENTS) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(&lock, 0, 1) != 0) continue;
  out[0] += in[blockIdx.x];
  __threadfence();
  atomicExch(&lock, 0);
}

KERNEL bad_lock_with_acquire_for_block(ARGUMENTS) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(&lock, 0, 1) != 0) continue;
  __threadfence_block();
  out[0] += in[blockIdx.x];
  __threadfence();
  atomicExch(&lock, 0);
}

/// One thread takes the lock for its block: the barrier passes it on.
KERNEL ok_lock_of_block(ARGUMENTS) {
  if (threadIdx.x == 0)
    while (atomicCAS(&lock, 0, 1) != 0) continue;
  __syncthreads();
  out[threadIdx.x] += in[threadIdx.x];
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) atomicExch(&lock, 0);
}

KERNEL bad_lock_of_warps_without_acquire(ARGUMENTS) {
  __shared__ int held, sum;
  if (threadIdx.x == 0) held = sum = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(&held, 0, 1) != 0) continue;
    sum += in[threadIdx.x];
    __threadfence_block();
    atomicExch(&held, 0);
  }
  __syncthreads();
  out[blockIdx.x] = sum;
}

KERNEL ok_lock_of_warps(ARGUMENTS) {
  __shared__ int held, sum;
  if (threadIdx.x == 0) held = sum = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(&held, 0, 1) != 0) continue;
    __threadfence_block();
    sum += in[threadIdx.x];
    __threadfence_block();
    atomicExch(&held, 0);
  }
  __syncthreads();
  out[blockIdx.x] = sum;
}

// ---- scopes

KERNEL bad_sum_of_block_scope(ARGUMENTS) {
  if (threadIdx.x == 0) atomicAdd_block(&out[0], in[blockIdx.x]);
}

KERNEL ok_sum_of_block_scope(ARGUMENTS) { atomicAdd_block(&out[blockIdx.x], in[threadIdx.x]); }

KERNEL bad_exchange_of_block_scope(ARGUMENTS) {
  if (threadIdx.x == 0) atomicExch_block(&out[0], static_cast<int>(blockIdx.x));
}
