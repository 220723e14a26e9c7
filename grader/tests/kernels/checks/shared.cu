// Kernels for the checks of shared memory: bad_ must be found, ok_ must not. All take the same arguments and
// run with an input and an output array, one word per thread; tests/vgpu/shared_checks_test.cpp has the
// launches. make.sh makes the PTX that the tests run.
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr unsigned kWarp = 0xFFFFFFFFu;

#define KERNEL extern "C" __global__ void

// ---- between warps

KERNEL bad_missing_barrier(const int* in, int* out) {
  __shared__ int tile[kThreads];
  const int t = threadIdx.x;
  tile[t] = in[t];
  out[t] = tile[kThreads - 1 - t];
}

KERNEL ok_barrier(const int* in, int* out) {
  __shared__ int tile[kThreads];
  const int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  out[t] = tile[kThreads - 1 - t];
}

/// The next round's stores overtake this round's loads.
KERNEL bad_missing_second_barrier(const int* in, int* out) {
  __shared__ int tile[kThreads];
  const int t = threadIdx.x;
  int sum = 0;
  for (int round = 0; round < 3; ++round) {
    tile[t] = in[t] + round * t;
    __syncthreads();
    sum += tile[kThreads - 1 - t];
  }
  out[t] = sum;
}

/// A race although the values are equal in every round: with other data they would differ.
KERNEL bad_missing_second_barrier_same_values(const int* in, int* out) {
  __shared__ int tile[kThreads];
  const int t = threadIdx.x;
  int sum = 0;
  for (int round = 0; round < 3; ++round) {
    tile[t] = in[t];
    __syncthreads();
    sum += tile[kThreads - 1 - t];
  }
  out[t] = sum;
}

/// A product of tiles without a barrier before their use. There are many loads, and lanes of one warp race
/// as well.
KERNEL bad_unrolled_without_barrier(const int* in, int* out) {  // block (32, 32)
  __shared__ int rows[32][32];
  __shared__ int columns[32][33];
  rows[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  columns[threadIdx.y][threadIdx.x] = in[threadIdx.x * 32 + threadIdx.y];
  int sum = 0;
#pragma unroll
  for (int k = 0; k < 32; ++k) sum += rows[threadIdx.y][k] * columns[threadIdx.x][k];
  out[threadIdx.y * 32 + threadIdx.x] = sum;
}

KERNEL ok_double_buffering(const int* in, int* out) {
  __shared__ int tile[2][kThreads];
  const int t = threadIdx.x;
  int sum = 0;
  for (int round = 0; round < 5; ++round) {
    tile[round % 2][t] = in[t] + round * t;
    __syncthreads();
    sum += tile[round % 2][kThreads - 1 - t];
  }
  out[t] = sum;
}

KERNEL bad_counter(const int* in, int* out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  sum += in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = sum;
}

KERNEL ok_atomic_counter(const int* in, int* out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, in[threadIdx.x]);
  __syncthreads();
  out[threadIdx.x] = sum;
}

/// The counter is cleared without a barrier before the first use.
KERNEL bad_atomic_before_barrier(const int* in, int* out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  atomicAdd(&sum, in[threadIdx.x]);
  __syncthreads();
  out[threadIdx.x] = sum;
}

KERNEL bad_read_of_atomic(const int* in, int* out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, in[threadIdx.x]);
  out[threadIdx.x] = sum;
}

KERNEL ok_same_value(const int* in, int* out) {
  __shared__ int any;
  asm volatile("" ::"l"(&any));  // keeps clang 14 from moving the load up across the barrier
  if (threadIdx.x == 0) any = 0;
  __syncthreads();
  if (in[threadIdx.x] > 3) any = 1;
  __syncthreads();
  out[threadIdx.x] = any;
}

KERNEL bad_different_values(const int* in, int* out) {
  __shared__ int last;
  if (threadIdx.x == 0) last = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) last = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = last + in[threadIdx.x];
}

KERNEL ok_early_return(const int* in, int* out) {
  __shared__ int tile[kThreads];
  const int t = threadIdx.x;
  tile[t] = in[t];
  if (t >= 100) return;
  __syncthreads();
  out[t] = tile[t] + tile[(t + 50) % 100];
}

KERNEL ok_halo(const int* in, int* out) {
  __shared__ int tile[kThreads + 2];
  const int t = threadIdx.x;
  tile[t + 1] = in[t];
  if (t == 0) tile[0] = 0;
  if (t == kThreads - 1) tile[kThreads + 1] = 0;
  __syncthreads();
  out[t] = tile[t] + tile[t + 1] + tile[t + 2];
}

/// Different threads load the halo and the inner elements; an index is off by one, so two write to tile[1].
KERNEL bad_halo_overlap(const int* in, int* out) {
  __shared__ int tile[kThreads + 2];
  const int t = threadIdx.x;
  tile[t + 1] = in[t];
  if (t == 0) tile[0] = 0;
  if (t == kThreads - 1) tile[1] = -7;
  __syncthreads();
  out[t] = tile[t] + tile[t + 1] + (t < kThreads - 1 ? tile[t + 2] : 0);
}

KERNEL ok_histogram(const int* in, int* out) {
  __shared__ int bins[64];
  if (threadIdx.x < 64) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[in[threadIdx.x] & 63], 1);
  __syncthreads();
  out[threadIdx.x] = bins[threadIdx.x & 63];
}

KERNEL ok_scan_hillis_steele(const int* in, int* out) {
  __shared__ int sums[2][kThreads];
  const int t = threadIdx.x;
  int from = 0;
  sums[0][t] = in[t];
  __syncthreads();
  for (int step = 1; step < kThreads; step *= 2, from ^= 1) {
    sums[from ^ 1][t] = sums[from][t] + (t >= step ? sums[from][t - step] : 0);
    __syncthreads();
  }
  out[t] = sums[from][t];
}

/// A scan in place needs two barriers per step; this one has one.
KERNEL bad_scan_in_place(const int* in, int* out) {
  __shared__ int sums[kThreads];
  const int t = threadIdx.x;
  sums[t] = in[t] + 1;
  __syncthreads();
  for (int step = 1; step < kThreads; step *= 2) {
    const int add = t >= step ? sums[t - step] : 0;
    sums[t] += add;
    __syncthreads();
  }
  out[t] = sums[t];
}

KERNEL ok_scan_blelloch(const int* in, int* out) {
  __shared__ int tree[kThreads];
  const int t = threadIdx.x;
  tree[t] = in[t];
  for (int step = 1; step < kThreads; step *= 2) {
    __syncthreads();
    const int at = (t + 1) * step * 2 - 1;
    if (at < kThreads) tree[at] += tree[at - step];
  }
  if (t == 0) tree[kThreads - 1] = 0;
  for (int step = kThreads / 2; step > 0; step /= 2) {
    __syncthreads();
    const int at = (t + 1) * step * 2 - 1;
    if (at < kThreads) {
      const int left = tree[at - step];
      tree[at - step] = tree[at];
      tree[at] += left;
    }
  }
  __syncthreads();
  out[t] = tree[t];
}

KERNEL ok_reduction(const int* in, int* out) {
  __shared__ int sums[kThreads];
  const int t = threadIdx.x;
  sums[t] = in[t];
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (t < half) sums[t] += sums[t + half];
    __syncthreads();
  }
  out[t] = sums[0];
}

KERNEL ok_transpose_padded(const int* in, int* out) {  // block (16, 16)
  __shared__ int tile[16][17];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 16 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

/// Different threads write the bytes of one word.
KERNEL ok_bytes(const int* in, int* out) {
  __shared__ unsigned char bytes[kThreads];
  const int t = threadIdx.x;
  bytes[t ^ 129] = static_cast<unsigned char>(in[t]);
  __syncthreads();
  out[t] = bytes[t] + bytes[kThreads - 1 - t];
}

KERNEL bad_bytes(const int* in, int* out) {
  __shared__ unsigned char bytes[kThreads];
  const int t = threadIdx.x;
  bytes[t] = static_cast<unsigned char>(in[t]);
  out[t] = bytes[(t + 64) % kThreads];
}

KERNEL ok_producer_consumer(const int* in, int* out) {  // two warps produce, two consume
  __shared__ int queue[64];
  const int t = threadIdx.x;
  int sum = 0;
  for (int round = 0; round < 3; ++round) {
    if (t < 64) {
      asm volatile("bar.sync 1, 128;" ::: "memory");  // the queue is empty
      queue[t] = in[t] + round;
      asm volatile("bar.sync 2, 128;" ::: "memory");  // the queue is full
    } else if (t < 128) {
      asm volatile("bar.sync 1, 128;" ::: "memory");
      asm volatile("bar.sync 2, 128;" ::: "memory");
      sum += queue[127 - t];
    }
  }
  out[t] = sum;
}

/// The producer and consumer warps wait at different barriers.
KERNEL bad_wrong_barrier(const int* in, int* out) {
  __shared__ int queue[128];
  const int t = threadIdx.x;
  queue[t % 128] = in[t] + t / 128;
  if (t < 128) {
    asm volatile("bar.sync 1, 128;" ::: "memory");
  } else {
    asm volatile("bar.sync 2, 128;" ::: "memory");
  }
  out[t] = queue[127 - t % 128];
}

// ---- within a warp

KERNEL bad_warp_without_sync(const int* in, int* out) {  // one warp
  __shared__ int tile[32];
  tile[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = tile[31 - threadIdx.x];
}

KERNEL ok_warp_sync(const int* in, int* out) {
  __shared__ int tile[kThreads];
  const int t = threadIdx.x;
  tile[t] = in[t];
  __syncwarp();
  out[t] = tile[t ^ 31];
}

/// volatile keeps the compiler from caching values, but does not order the lanes.
KERNEL bad_warp_volatile(const int* in, int* out) {
  __shared__ int storage[64];
  volatile int* sums = storage;
  const int t = threadIdx.x;
  sums[t] = in[t];
  if (t < 32) sums[t + 32] = 0;
  __syncthreads();
  for (int half = 16; half > 0; half /= 2) sums[t] = sums[t] + sums[t + half];
  out[t] = sums[0];
}

KERNEL ok_warp_reduction(const int* in, int* out) {
  __shared__ int sums[kThreads];
  const int t = threadIdx.x;
  const int lane = t % 32;
  sums[t] = in[t];
  __syncwarp();
  for (int half = 16; half > 0; half /= 2) {
    const int other = lane < half ? sums[t + half] : 0;
    __syncwarp();
    if (lane < half) sums[t] += other;
    __syncwarp();
  }
  out[t] = sums[t & ~31];
}

/// A barrier of half a warp orders only that half.
KERNEL ok_half_warps(const int* in, int* out) {
  __shared__ int tile[kThreads];
  const int t = threadIdx.x;
  const unsigned half = (t & 16) != 0 ? 0xFFFF0000u : 0x0000FFFFu;
  tile[t] = in[t];
  __syncwarp(half);
  out[t] = tile[t ^ 15];
}

KERNEL bad_half_warps(const int* in, int* out) {
  __shared__ int tile[kThreads];
  const int t = threadIdx.x;
  const unsigned half = (t & 16) != 0 ? 0xFFFF0000u : 0x0000FFFFu;
  tile[t] = in[t];
  __syncwarp(half);
  out[t] = tile[t ^ 31];
}

KERNEL ok_shuffle_between(const int* in, int* out) {
  __shared__ int tile[kThreads];
  const int t = threadIdx.x;
  tile[t] = in[t];
  const int next = __shfl_xor_sync(kWarp, in[t], 1);
  out[t] = tile[t ^ 31] + next;
}

/// Uses __syncwarp() although the whole block has to wait.
KERNEL bad_syncwarp_for_block(const int* in, int* out) {
  __shared__ int tile[kThreads];
  const int t = threadIdx.x;
  tile[t] = in[t];
  __syncwarp();
  out[t] = tile[kThreads - 1 - t];
}

KERNEL bad_lanes_collide(const int* in, int* out) {
  __shared__ int tile[kThreads];
  const int t = threadIdx.x;
  tile[t] = 0;
  __syncthreads();
  tile[t / 2] = in[t];
  __syncthreads();
  out[t] = tile[t];
}

KERNEL ok_lanes_agree(const int* in, int* out) {
  __shared__ int tile[kThreads];
  const int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  tile[t / 2] = 5;
  __syncthreads();
  out[t] = tile[t];
}

/// Each warp has its own counter.
KERNEL ok_warp_counts(const int* in, int* out) {
  __shared__ int counts[kThreads / 32];
  const int warp = threadIdx.x / 32;
  if (threadIdx.x % 32 == 0) counts[warp] = 0;
  __syncwarp();
  if (in[threadIdx.x] % 2 == 0) atomicAdd(&counts[warp], 1);
  __syncwarp();
  out[threadIdx.x] = counts[warp];
}

KERNEL bad_warp_counts(const int* in, int* out) {
  __shared__ int counts[kThreads / 32];
  const int warp = threadIdx.x / 32;
  if (threadIdx.x % 32 == 0) counts[warp] = 0;
  __syncwarp();
  atomicAdd(&counts[warp], in[threadIdx.x]);
  if (threadIdx.x % 32 == 0) out[threadIdx.x] = counts[warp];
}

// ---- locks and flags

KERNEL ok_lock(const int* in, int* out) {  // one thread of each warp
  __shared__ int lock;
  __shared__ int sum;
  if (threadIdx.x == 0) lock = sum = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    __threadfence_block();
    sum += in[threadIdx.x];
    __threadfence_block();
    atomicExch(&lock, 0);
  }
  __syncthreads();
  out[threadIdx.x] = sum;
}

KERNEL bad_lock_without_fence(const int* in, int* out) {
  __shared__ int lock;
  __shared__ int sum;
  if (threadIdx.x == 0) lock = sum = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    sum += in[threadIdx.x];
    atomicExch(&lock, 0);
  }
  __syncthreads();
  out[threadIdx.x] = sum;
}

/// Releases more often than the checker's clocks can distinguish.
KERNEL ok_many_releases(const int* in, int* out) {
  __shared__ int count;
  __shared__ int own[kThreads];
  const int t = threadIdx.x;
  if (t == 0) count = 0;
  __syncthreads();
  for (int i = 0; i < 5000; ++i) asm volatile("red.release.cta.add.u32 [%0], 1;" ::"l"(&count) : "memory");
  own[t] = in[t];
  out[t] = *const_cast<volatile int*>(&own[t]);
}

// ---- reads of unwritten memory

KERNEL bad_unwritten_shared(const int* in, int* out) {
  __shared__ int tile[kThreads];
  const int t = threadIdx.x;
  if (t != 77) tile[t] = in[t];
  __syncthreads();
  out[t] = tile[kThreads - 1 - t];
}

/// Every thread of a row reads one word, which is not written in rows 3 and 4: 2 * 16 threads, 4 times each.
KERNEL bad_unwritten_rows(const int* in, int* out) {
  __shared__ int column[kThreads / 16];
  const int t = threadIdx.x;
  if (t < kThreads / 16 && t != 3 && t != 4) column[t] = in[t];
  int sum = 0;
  for (int round = 0; round < 4; ++round) {
    __syncthreads();
    sum += column[t / 16];
  }
  out[t] = sum;
}

/// Phases that only load, with every pattern of addresses, and one that stores.
KERNEL ok_phases_of_loads(const int* in, int* out) {
  __shared__ int tile[kThreads];
  const int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  int sum = tile[t] + tile[t / 16] + tile[(t * 37) % kThreads];
  __syncthreads();
  if (t < 40) sum += tile[t * 3];
  __syncthreads();
  tile[t] = sum;
  __syncthreads();
  out[t] = tile[kThreads - 1 - t];
}

/// The loads before the store without a barrier are 1,000 per warp, of all patterns.
KERNEL bad_store_after_many_loads(const int* in, int* out) {
  __shared__ int tile[kThreads];
  const int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  int sum = 0;
  for (int round = 0; round < 250; ++round)
    sum += tile[(t + round) % kThreads] + tile[(t / 32 * 32 + round) % kThreads] +
           tile[(t * 37 + round) % kThreads] + tile[t];
  tile[(t + 32) % kThreads] = sum;
  __syncthreads();
  out[t] = tile[t];
}

/// A warp-wide barrier does not order the loads before it and the store of another warp.
KERNEL bad_store_after_loads_and_syncwarp(const int* in, int* out) {
  __shared__ int tile[kThreads];
  const int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  const int sum = tile[(t + 32) % kThreads];
  __syncwarp();
  if (t < 32) tile[t] = sum;
  __syncthreads();
  out[t] = tile[t] + sum;
}

KERNEL bad_histogram_not_cleared(const int* in, int* out) {
  __shared__ int bins[64];
  atomicAdd(&bins[in[threadIdx.x] & 63], 1);
  __syncthreads();
  out[threadIdx.x] = bins[threadIdx.x & 63];
}

/// Vectors with padding: three of four words are written, four are read.
KERNEL ok_padding(const int* in, int* out) {
  __shared__ int4 tile[kThreads];
  const int t = threadIdx.x;
  tile[t].x = in[t];
  tile[t].y = in[t] + 1;
  tile[t].z = in[t] + 2;
  __syncthreads();
  const int4 all = tile[kThreads - 1 - t];
  out[t] = all.x + all.y + all.z;
}

/// The last thread to count resets the counter: its atomic follows all others.
KERNEL ok_last_resets(const int* in, int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  out[threadIdx.x] = in[threadIdx.x];
  __threadfence_block();
  if (atomicAdd(&count, 1) == kThreads - 1) {
    __threadfence_block();
    count = 0;
  }
}

KERNEL ok_last_warp_sums(const int* in, int* out) {
  __shared__ int count;
  __shared__ int values[kThreads / 32];
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  if (threadIdx.x % 32 != 0) return;
  values[threadIdx.x / 32] = in[threadIdx.x];
  __threadfence_block();
  if (atomicAdd(&count, 1) != kThreads / 32 - 1) return;
  __threadfence_block();
  int sum = 0;
  for (int i = 0; i < kThreads / 32; ++i) sum += values[i];
  out[0] = sum;
  count = 0;
}

KERNEL bad_last_resets_without_fence(const int* in, int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  out[threadIdx.x] = in[threadIdx.x];
  if (atomicAdd(&count, 1) == kThreads - 1) count = 0;
}

/// No thread knows whether all have counted.
KERNEL bad_reset_by_one(const int* in, int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  __threadfence_block();
  out[threadIdx.x] = in[threadIdx.x] + atomicAdd(&count, 1);
  if (threadIdx.x == 0) count = 0;
}

// ---- returning

/// Threads without work count themselves and return; the others continue to the barrier.
KERNEL ok_early_return_with_atomic(const int* in, int* out) {
  __shared__ int tile[kThreads];
  const int t = threadIdx.x;
  if (t >= 100) {
    atomicAdd(&out[kThreads], 1);
    return;
  }
  tile[t] = in[t];
  __syncthreads();
  out[t] = tile[99 - t];
}

/// Some threads find what they look for, store it and return; the others continue to the barrier.
KERNEL ok_return_from_last_loop(const int* in, int* out) {
  __shared__ int tile[kThreads];
  const int t = threadIdx.x;
  tile[t] = in[t];
  for (int round = 0; round < in[0]; ++round) {
    if (t % 3 != 0) {
      if (in[t] % 16 == round) {
        out[t] = -round;
        return;
      }
      out[t] = round;
    }
    __syncthreads();
    out[kThreads + t] = tile[kThreads - 1 - t];
  }
}

/// All threads search in every round; the remaining lanes of a warp reach the warp's barrier.
KERNEL ok_return_from_last_warp_loop(const int* in, int* out) {
  const int t = threadIdx.x;
  for (int round = 0; round < in[0]; ++round) {
    if (in[t] % 16 == round) {
      out[t] = -round;
      return;
    }
    __syncwarp();
    out[kThreads + t] = round;
  }
}
