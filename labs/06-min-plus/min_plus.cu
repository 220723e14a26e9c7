// 06-min-plus: r[i][j] = min over k of d[i][k] + d[k][j], for row-major n × n matrices in host memory.
//
// Do the TODOs in order and check after each group:   warpgrade check 06-min-plus
// README.md explains the task, hints.md helps when you are stuck. Budgets count lines of code.

#include <cmath>  // HUGE_VALF is infinity; fminf(a, b) returns the smaller value, also in a kernel

#include "lab/ceil_div.hpp"  // lab::ceil_div(65, 64) = 2
#include "lab/check.hpp"     // CUDA_CHECK(call)
#include "lab/min_plus.hpp"

// ---- A. Version 1: neighbouring threads read neighbouring addresses ----

constexpr int kBlockWidth = 16;  // a block has 16 × 16 threads; each computes one element of r

__global__ void step_v1_kernel(float* r, const float* d, int n) {
  // TODO 2 (about 6 lines): which row i and column j does this thread compute? In version 0 (README.md)
  //   neighbouring threads have neighbouring rows; here they have neighbouring columns. Then loop over k.
}

void step_v1(float* r, const float* d, int n) {
  // TODO 1 (about 10 lines): device memory for d and for r, copy d there, launch step_v1_kernel with enough
  //   blocks for every element, check the launch with CUDA_CHECK(cudaGetLastError()), copy r back, free both.
  //   Now "version-1" passes, and with the right i and j "access", too.
}

// ---- B. Padding: copies whose width is a multiple of 64, so that version 2 needs no guards inside ----

__global__ void pad_transpose_kernel(const float* in, float* padded, float* transposed, int n, int nn) {
  // TODO 3 (about 6 lines): one block for each row i < nn; its 64 threads go along the row. An element is
  //   in[i * n + j], or infinity where in has none; store it at [i][j] of padded and at [j][i] of transposed.
}

void pad_transpose(const float* d_in, float* d_padded, float* d_transposed, int n, int nn) {
  // TODO 4 (2 lines): launch it. These are device pointers already. Now "padding" passes.
}

// ---- C. Version 2: 8 × 8 elements of r for each thread, all in registers ----

constexpr int kThreads = 8;                   // along each side of a block
constexpr int kPerThread = 8;                 // along each side of a thread's share
constexpr int kTile = kThreads * kPerThread;  // 64 × 64 elements of r for each block

__global__ void step_kernel(float* r, const float* d, const float* t, int n, int nn) {
  // d is nn × nn, t its transpose. Thread (x, y) of a block computes the rows y, y + 8, …, y + 56 and the
  // columns x, x + 8, …, x + 56 of the block's tile.

  // TODO 5 (about 5 lines): an array of 8 × 8 floats for the minima so far; initialise all of them to
  // infinity.

  // TODO 6 (about 9 lines): for every k < n, load 8 values d[i][k] (neighbours in a row of t) and
  //   8 values d[k][j], then update the 8 × 8 minima from these 16. Put #pragma unroll before loops over the
  //   arrays: an array stays in registers only if the compiler knows each index.

  // TODO 7 (about 6 lines): store the 8 × 8 results. r is n × n: which of the results exist?
}

void step(float* r, const float* d, int n) {
  // TODO 8 (about 14 lines): as TODO 1, with pad_transpose before the kernel. The grid covers nn × nn.
  //   Now "version-2" and "any-n" pass; then look at the counters.
}
