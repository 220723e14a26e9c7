// The functions that you write in 06-min-plus. The tests call them.
#pragma once

#include <cuda_runtime.h>

extern "C" {

/// r[i][j] = min over k of d[i][k] + d[k][j], for 0 ≤ i, j, k < n. d and r are row-major n × n matrices in
/// host memory, which do not overlap; n is 1 to 257; d can contain infinity, but no negative infinity and
/// no NaN. Allocates the device memory that it needs, frees it, and returns when r is complete. Version 1:
/// one thread for each element of r.
void step_v1(float* r, const float* d, int n);

/// Copies the n × n matrix d_in into the upper left corner of d_padded, and its transpose into that of
/// d_transposed. Both are nn × nn, nn is the next multiple of 64 at or above n; everything else in them
/// becomes infinity. All row-major, all in device memory. Launches the kernel; need not wait for it.
void pad_transpose(const float* d_in, float* d_padded, float* d_transposed, int n, int nn);

/// The same as step_v1, for n up to 5,120. Version 2: 8 × 8 elements of r for each thread, 64 × 64 for each
/// block.
void step(float* r, const float* d, int n);
}
