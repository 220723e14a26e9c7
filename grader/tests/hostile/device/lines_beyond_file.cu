// Bad input: writes past the end of P in a line that the file does not have.
#include "lab/tiled_matmul.hpp"

#line 4000000
__global__ void stray(float* P, int elements) { P[elements + threadIdx.x] = 1.0f; }

void tiled_matmul(const float*, const float*, float* d_P, int m, int, int n) { stray<<<1, 32>>>(d_P, m * n); }
void tiled_matmul_dynamic(const float*, const float*, float* d_P, int m, int, int n) { stray<<<1, 32>>>(d_P, m * n); }
