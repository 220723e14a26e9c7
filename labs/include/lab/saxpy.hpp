// The functions that you write in 00-warm-up. The tests call them. d_ pointers point to device memory, h_
// pointers to host memory; n is from 1 to 2^24.
#pragma once

#include <cuda_runtime.h>

extern "C" {

/// y = a x + y, in place. Launches a kernel with blocks of 256 threads and need not wait for it.
void saxpy(int n, float a, const float* d_x, float* d_y);

/// The same with blocks of `block_threads` threads. Returns the launch's result: cudaSuccess, or the reason
/// why the kernel could not be launched. In that case y is unchanged, the program continues, and the error is
/// reset (cudaGetLastError).
cudaError_t saxpy_in_blocks(int n, float a, const float* d_x, float* d_y, int block_threads);

/// The same for arrays in ordinary host memory, which do not overlap. Allocates device memory, copies x and y
/// to it, launches the kernel, copies y back, and frees the device memory. Returns when h_y is complete.
void saxpy_from_host(int n, float a, const float* h_x, float* h_y);
}
