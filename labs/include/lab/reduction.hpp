// The functions that you write in 03-reduction-divergence. The tests call them. d_ pointers point to device
// memory, h_ pointers host memory; n is from 1 to 2^24. Each function launches what it needs and need not
// wait for it.
#pragma once

#include <cuda_runtime.h>

extern "C" {

/// C = A + B with ceil(n / 256) blocks of 256 threads, one element each. Then, by calculation and not from
/// the device: h_warps[0] is the number of warps launched, h_warps[1] the number of them whose lanes disagree
/// at the guard.
void vector_add(const float* d_A, const float* d_B, float* d_C, int n, int* h_warps);

/// d_sums[b] is the sum of those elements from 512 b to 512 b + 511 that exist, for all ceil(n / 512) blocks.
/// Blocks of 512 threads, one element each, a tree in shared memory.
void block_sums(const float* d_in, float* d_sums, int n);

/// The same sums; partial sums of 32 lanes are added with warp shuffles.
void block_sums_shuffle(const float* d_in, float* d_sums, int n);

/// *d_sum is the sum of all n elements.
void reduce_sum(const float* d_in, float* d_sum, int n);

/// *d_max is the largest of all n elements.
void reduce_max(const float* d_in, float* d_max, int n);

/// For each of ceil(n / 32) groups of 32 neighbouring elements (the last may be smaller): d_counts[g] is how
/// many of them are 6, d_any[g] is 1 if at least one is, d_all[g] is 1 if all are, else 0.
void six_votes(const int* d_in, int* d_counts, int* d_any, int* d_all, int n);

/// *d_count is how many of the n elements are 6. One atomicAdd for every 6.
void count_six_atomic(const int* d_in, int* d_count, int n);

/// The same number. Each warp votes on several groups of 32 elements; one atomicAdd for every warp, or fewer.
void count_six(const int* d_in, int* d_count, int n);
}
