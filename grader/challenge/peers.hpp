// NVIDIA's libraries for the same works, in a shared library of their own: bench-solutions runs without it.
#pragma once

extern "C" {

/// P = M × N, all row-major; `turned`: N is stored by columns. fp32 without TF32.
void peer_product(const float* d_M, const float* d_N, float* d_P, int m, int k, int n, bool turned);

void peer_sum(const float* d_in, float* d_sum, int n);

/// y = A · x, A row-major.
void peer_matvec(const float* d_A, const float* d_x, float* d_y, int rows, int columns);
}
