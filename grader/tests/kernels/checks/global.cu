// Kernels for the checks of global memory: bad_ must be found, ok_ must not. All take the same arguments and
// run in blocks of 64 threads, 4 unless tests/vgpu/global_checks_test.cpp launches another number. `out` is
// cleared before the launch, `fresh` was only allocated. make.sh makes the PTX that the tests run.
#include <cuda_runtime.h>

constexpr int kBlock = 64;

#define KERNEL extern "C" __global__ void
#define ARGUMENTS [[maybe_unused]] const int *in, [[maybe_unused]] int *out, [[maybe_unused]] int *fresh

__device__ int index_of_thread() { return blockIdx.x * kBlock + threadIdx.x; }

/// Keeps clang 14 from moving a load of the variable up across a barrier.
__device__ void keep_in_place(void* variable) { asm volatile("" ::"l"(variable)); }

__device__ unsigned int finished;

// ---- between blocks

KERNEL ok_disjoint(ARGUMENTS) {
  const int i = index_of_thread();
  out[i] = in[i] + 1;
}

/// Reads the neighbour's result, also across the boundary between blocks.
KERNEL bad_neighbour(ARGUMENTS) {
  const int i = index_of_thread();
  out[i] = in[i] + 1;
  __syncthreads();
  fresh[i] = out[i + 1];
}

/// A race although the neighbour's result equals the old value: with other data the values would differ.
KERNEL bad_neighbour_same_value(ARGUMENTS) {
  const int i = index_of_thread();
  out[i] = 0;
  __syncthreads();
  fresh[i] = out[i + 1];
}

KERNEL ok_halo_of_input(ARGUMENTS) {
  const int i = index_of_thread();
  out[i] = in[i] + in[i + 1] + (i > 0 ? in[i - 1] : 0);
}

KERNEL bad_same_element(ARGUMENTS) {
  if (threadIdx.x == 0) out[0] = blockIdx.x + 1;
}

KERNEL ok_same_value(ARGUMENTS) {
  if (in[index_of_thread()] > 3) out[0] = 1;
}

KERNEL bad_sum(ARGUMENTS) {
  if (threadIdx.x == 0) out[0] += in[blockIdx.x];
}

KERNEL ok_atomic_sum(ARGUMENTS) { atomicAdd(&out[0], in[index_of_thread()]); }

KERNEL ok_histogram(ARGUMENTS) { atomicAdd(&out[in[index_of_thread()] & 31], 1); }

/// The first block clears words to which other blocks may already have added.
KERNEL bad_cleared_by_one_block(ARGUMENTS) {
  if (blockIdx.x == 0) out[threadIdx.x] = -5;
  __syncthreads();
  atomicAdd(&out[threadIdx.x], in[index_of_thread()]);
}

KERNEL bad_read_of_atomic(ARGUMENTS) {
  atomicAdd(&out[0], in[index_of_thread()]);
  if (threadIdx.x == 0) out[1 + blockIdx.x] = out[0];
}

/// Blocks write to different bytes of one word.
KERNEL ok_bytes(ARGUMENTS) {
  reinterpret_cast<unsigned char*>(out)[blockIdx.x] = static_cast<unsigned char>(in[blockIdx.x]);
}

KERNEL bad_transposed_overlap(ARGUMENTS) {  // the index lacks the block's offset
  out[threadIdx.x] = in[index_of_thread()];
}

KERNEL ok_last_block_sums(ARGUMENTS) {
  __shared__ bool is_last;
  keep_in_place(&is_last);
  if (threadIdx.x == 0) {
    fresh[blockIdx.x] = in[blockIdx.x] + 1;
    __threadfence();
    is_last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last || threadIdx.x != 0) return;
  int sum = 0;
  for (int i = 0; i < gridDim.x; ++i) sum += fresh[i];
  out[0] = sum;
}

/// A plain store resets the counter: the last block's atomic follows those of all other blocks.
KERNEL ok_last_block_resets(ARGUMENTS) {
  __shared__ bool is_last;
  keep_in_place(&is_last);
  if (threadIdx.x == 0) {
    fresh[blockIdx.x] = in[blockIdx.x] + 1;
    __threadfence();
    is_last = atomicAdd(&finished, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last || threadIdx.x != 0) return;
  int sum = 0;
  for (int i = 0; i < gridDim.x; ++i) sum += fresh[i];
  out[0] = sum;
  finished = 0;
}

/// The same where memory is checked byte by byte.
KERNEL ok_last_block_resets_with_bytes(ARGUMENTS) {
  if (threadIdx.x != 0) return;
  reinterpret_cast<unsigned char*>(out)[blockIdx.x] = 1;
  __threadfence();
  if (atomicAdd(&finished, 1) == gridDim.x - 1) finished = 0;
}

__device__ volatile int released;

/// A grid-wide barrier. All blocks wait for the last one, which resets the counter.
KERNEL ok_grid_barrier_resets(ARGUMENTS) {
  if (threadIdx.x != 0) return;
  fresh[blockIdx.x] = in[blockIdx.x] + 1;
  __threadfence();
  if (atomicAdd(&finished, 1) == gridDim.x - 1) {
    __threadfence();
    finished = 0;
    __threadfence();
    released = 1;
  } else {
    while (released == 0) {
    }
  }
  __threadfence();
  out[blockIdx.x] = fresh[(blockIdx.x + 1) % gridDim.x];
}

/// A block in the middle resets the counter.
KERNEL bad_reset_in_between(ARGUMENTS) {
  if (threadIdx.x != 0) return;
  __threadfence();
  if (atomicAdd(&finished, 1) == gridDim.x / 2) finished = 0;
}

KERNEL bad_last_block_without_fence(ARGUMENTS) {
  __shared__ bool is_last;
  keep_in_place(&is_last);
  if (threadIdx.x == 0) {
    fresh[blockIdx.x] = in[blockIdx.x] + 1;
    is_last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last || threadIdx.x != 0) return;
  int sum = 0;
  for (int i = 0; i < gridDim.x; ++i) sum += fresh[i];
  out[0] = sum;
}

/// All threads write, then the first one counts: without a barrier it can count too early.
KERNEL bad_last_block_without_barrier(ARGUMENTS) {
  __shared__ bool is_last;
  keep_in_place(&is_last);
  fresh[index_of_thread()] = in[index_of_thread()] + 1;
  __threadfence();
  if (threadIdx.x == 0) is_last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (is_last) out[threadIdx.x] = fresh[threadIdx.x] + fresh[threadIdx.x + kBlock];
}

KERNEL ok_last_block_with_barrier(ARGUMENTS) {
  __shared__ bool is_last;
  keep_in_place(&is_last);
  fresh[index_of_thread()] = in[index_of_thread()] + 1;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (is_last) out[threadIdx.x] = fresh[threadIdx.x] + fresh[threadIdx.x + kBlock];
}

/// The last block adds what each block has stored.
__device__ void sum_if_last(bool is_last, const int* fresh, int* out) {
  if (!is_last || threadIdx.x != 0) return;
  int sum = 0;
  for (int i = 0; i < gridDim.x; ++i) sum += fresh[i];
  out[0] = sum;
}

/// Thread 0 writes and thread 63 counts: its fence does not cover the store of another warp.
KERNEL bad_fence_of_other_warp(ARGUMENTS) {
  __shared__ bool is_last;
  keep_in_place(&is_last);
  if (threadIdx.x == 0) fresh[blockIdx.x] = in[blockIdx.x] + 1;
  __threadfence();
  if (threadIdx.x == 63) is_last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  sum_if_last(is_last, fresh, out);
}

/// The fence is in the writing warp, and nothing orders it before the atomic of the other one.
KERNEL bad_atomic_of_other_warp(ARGUMENTS) {
  __shared__ bool is_last;
  keep_in_place(&is_last);
  if (threadIdx.x == 0) {
    fresh[blockIdx.x] = in[blockIdx.x] + 1;
    __threadfence();
  }
  if (threadIdx.x == 63) is_last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  sum_if_last(is_last, fresh, out);
}

/// A barrier orders the store before the fence.
KERNEL ok_barrier_before_fence(ARGUMENTS) {
  __shared__ bool is_last;
  keep_in_place(&is_last);
  if (threadIdx.x == 0) fresh[blockIdx.x] = in[blockIdx.x] + 1;
  __syncthreads();
  if (threadIdx.x == 63) {
    __threadfence();
    is_last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  sum_if_last(is_last, fresh, out);
}

/// A chain: each block waits for the flag of the previous block.
KERNEL ok_chain(ARGUMENTS) {
  if (threadIdx.x != 0) return;
  volatile int* flags = out;
  int sum = in[blockIdx.x];
  if (blockIdx.x > 0) {
    while (flags[blockIdx.x - 1] == 0) {
    }
    __threadfence();
    sum += fresh[blockIdx.x - 1];
  }
  fresh[blockIdx.x] = sum;
  __threadfence();
  flags[blockIdx.x] = 1;
}

KERNEL bad_chain_without_fence(ARGUMENTS) {
  if (threadIdx.x != 0) return;
  volatile int* flags = out;
  int sum = in[blockIdx.x];
  if (blockIdx.x > 0) {
    while (flags[blockIdx.x - 1] == 0) {
    }
    sum += fresh[blockIdx.x - 1];
  }
  fresh[blockIdx.x] = sum;
  flags[blockIdx.x] = 1;
}

__device__ void publish(unsigned char* flag) {
  asm volatile("st.release.gpu.u8 [%0], %1;" ::"l"(flag), "r"(1) : "memory");
}

__device__ bool is_published(const unsigned char* flag) {
  unsigned value;
  asm volatile("ld.acquire.gpu.u8 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value != 0;
}

/// A chain with adjacent one-byte flags. All threads of a block set its flag and wait for the previous one.
KERNEL ok_chain_of_bytes(ARGUMENTS) {
  unsigned char* flags = reinterpret_cast<unsigned char*>(out);
  int sum = in[blockIdx.x];
  if (blockIdx.x > 0) {
    while (!is_published(&flags[blockIdx.x - 1])) {
    }
    sum += fresh[blockIdx.x - 1];
  }
  if (threadIdx.x == 0) fresh[blockIdx.x] = sum;
  __syncthreads();
  publish(&flags[blockIdx.x]);
}

/// Sets the flag before writing the value.
KERNEL bad_chain_of_bytes(ARGUMENTS) {
  unsigned char* flags = reinterpret_cast<unsigned char*>(out);
  int* values = out + kBlock;
  if (blockIdx.x > 0) {
    while (!is_published(&flags[blockIdx.x - 1])) {
    }
    fresh[index_of_thread()] = values[blockIdx.x - 1];
  }
  if (threadIdx.x != 0) return;
  publish(&flags[blockIdx.x]);
  values[blockIdx.x] = in[blockIdx.x];
}

// ---- within a block

KERNEL bad_block_without_barrier(ARGUMENTS) {  // one block
  const int t = threadIdx.x;
  out[t] = in[t];
  fresh[t] = out[kBlock - 1 - t];
}

KERNEL ok_block_with_barrier(ARGUMENTS) {  // one block
  const int t = threadIdx.x;
  out[t] = in[t];
  __syncthreads();
  fresh[t] = out[kBlock - 1 - t];
}

/// The lanes of a warp access one word, only with atomic operations and acquire loads.
KERNEL ok_atomic_load_in_warp(ARGUMENTS) {  // one block
  unsigned old, now;
  asm volatile("atom.acquire.gpu.cas.b32 %0, [%1], 0, 7;" : "=r"(old) : "l"(out) : "memory");
  asm volatile("ld.acquire.gpu.b32 %0, [%1];" : "=r"(now) : "l"(out) : "memory");
  fresh[threadIdx.x] = static_cast<int>(now + (old & 0));
}

/// A volatile access is not an atomic access.
KERNEL bad_volatile_load_in_warp(ARGUMENTS) {  // one block
  atomicCAS(out, 0, 7);
  fresh[threadIdx.x] = *static_cast<volatile int*>(out);
}

constexpr int kManyRounds = 1500;  // of 64 releases: more ticks than BlockClocks can represent

/// Threads publish every other word of `fresh`, more often than the checker's clocks can distinguish.
KERNEL ok_many_releases(ARGUMENTS) {  // one block
  int* own = &fresh[2 * threadIdx.x];
  for (int i = 0; i < kManyRounds; ++i)
    asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(own), "r"(i) : "memory");
  out[threadIdx.x] = *own;
}

// ---- reads of unwritten memory

KERNEL bad_unwritten(ARGUMENTS) { out[index_of_thread()] = fresh[index_of_thread()]; }

KERNEL bad_unwritten_sum(ARGUMENTS) { atomicAdd(&fresh[threadIdx.x], in[threadIdx.x]); }

KERNEL ok_written_before(ARGUMENTS) {
  const int i = index_of_thread();
  fresh[i] = in[i];
  out[i] = fresh[i] + 1;
}

// ---- loads through the cache for memory that nothing writes while the kernel runs

__device__ int read_only(const int* from) {
  int value;
  asm volatile("ld.global.nc.s32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
}

__device__ int sum_of_four(const int* from) {
  int a, b, c, d;
  asm volatile("ld.global.nc.v4.s32 {%0, %1, %2, %3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "l"(from)
               : "memory");
  return a + b + c + d;
}

KERNEL bad_read_only_after_barrier(ARGUMENTS) {  // one block
  const int t = threadIdx.x;
  out[t] = in[t];
  __syncthreads();
  fresh[t] = read_only(&out[kBlock - 1 - t]);
}

KERNEL bad_read_only_of_own_store(ARGUMENTS) {
  const int i = index_of_thread();
  out[i] = in[i];
  fresh[i] = read_only(&out[i]);
}

KERNEL bad_read_only_vector(ARGUMENTS) {  // one block
  const int t = threadIdx.x;
  if (t == 5) out[7] = in[t];
  __syncthreads();
  fresh[t] = sum_of_four(&out[t & ~3]);
}

/// Without a barrier it is a race, and only that is reported.
KERNEL bad_read_only_race(ARGUMENTS) {  // one block
  const int t = threadIdx.x;
  out[t] = in[t];
  fresh[t] = read_only(&out[kBlock - 1 - t]);
}

KERNEL bad_read_only_by_last_block(ARGUMENTS) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    fresh[blockIdx.x] = in[blockIdx.x] + 1;
    __threadfence();
    is_last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!is_last || threadIdx.x >= gridDim.x) return;
  const int value = read_only(&fresh[threadIdx.x]);
  if (threadIdx.x != blockIdx.x) out[threadIdx.x] = value;
}

/// In place: every load returns the value before the store.
KERNEL ok_read_only_in_place(ARGUMENTS) {
  const int i = index_of_thread();
  out[i] = read_only(&out[i]) + 1;
}

KERNEL ok_read_only_in_place_with_halo(ARGUMENTS) {  // one block
  const int t = threadIdx.x;
  const int value = read_only(&out[t]) + read_only(&out[(t + 1) % kBlock]);
  __syncthreads();
  out[t] = value;
}

/// Neighbours of what is read only are written, round after round.
KERNEL ok_read_only_next_to_stores(ARGUMENTS) {
  const int i = index_of_thread();
  out[4 * i + 1] = in[i];
  for (int round = 0; round < 4; ++round) {
    out[4 * i] = read_only(&in[i + round]) + sum_of_four(&in[4 * threadIdx.x]) + read_only(&out[4 * i + 2]);
    __syncthreads();
  }
}
