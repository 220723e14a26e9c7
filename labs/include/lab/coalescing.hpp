// The functions that you write in 04-coalescing. The tests call them. Pointers whose names begin with d_
// point to device memory; matrices are float. No array has more than 2^24 floats. A function launches its
// kernel and need not wait for it.
#pragma once

#include <cuda_runtime.h>

/// A point in the usual layout: its coordinates are neighbours in memory.
struct Point {
  float x, y, z;
};

extern "C" {

/// out = in with rows and columns swapped. `in` has `height` rows of `width` floats, `out` has `width` rows
/// of `height` floats, both row-major; width, height ≥ 1.
void transpose(const float* d_in, float* d_out, int width, int height);

/// Needs no GPU. Is the lectures' BlockTranspose kernel, which has no barrier, right for blocks of block_size
/// × block_size threads? 1: always. 0: not always. threads_in_step is the number of threads with consecutive
/// numbers (threadIdx.y * block_size + threadIdx.x; from 0, from threads_in_step, …) that execute every
/// instruction together: 32 on the lectures' GPU; 1 is all that CUDA promises since compute capability 7.0.
/// block_size is from 1 to 32, threads_in_step is 1, 16, 32 or 64.
int block_transpose_is_safe(int block_size, int threads_in_step);

/// Transposes every tile of the row-major `height` × `width` matrix A in place: A is divided into tiles of
/// block_size × block_size, which keep their places. width and height are multiples of block_size, which is
/// from 1 to 32, and at most 8,192.
void block_transpose(float* d_A, int width, int height, int block_size);

/// P = M × N. M is m × k and P is m × n, both row-major. N is k × n and stored by columns: its element
/// (row, col) is d_N[col * k + row]. m, k and n are from 1 to 8,192.
void matmul_corner_turning(const float* d_M, const float* d_N, float* d_P, int m, int k, int n);

/// y = A · x. A is row-major with `rows` rows of `columns` floats; rows, columns ≥ 1.
void matvec(const float* d_A, const float* d_x, float* d_y, int rows, int columns);

/// Splits n ≥ 1 points: d_x[i], d_y[i] and d_z[i] are the coordinates of d_points[i].
void aos_to_soa(const Point* d_points, float* d_x, float* d_y, float* d_z, int n);
}
