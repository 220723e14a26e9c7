// The functions that you write in 02-tiled-matmul. The tests call them.
#pragma once

#include <cuda_runtime.h>

extern "C" {

/// P = M × N for row-major matrices in device memory: M is m × k, N is k × n, P is m × n; m, k, n ≥ 1,
/// and m is at most 65,535 times the width of the tile.
/// Launches the kernel; need not wait for it.
void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n);

/// The same product. The tile width is not known until run time: use the largest power of two, at most 32,
/// for which one block's threads and its two tiles fit what the device offers. The tiles are in dynamic
/// shared memory.
void tiled_matmul_dynamic(const float* d_M, const float* d_N, float* d_P, int m, int k, int n);
}
