// Invalid inline PTX.
#include "lab/tiled_matmul.hpp"

__global__ void kernel() { asm("this is no instruction;"); }
void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) { kernel<<<1, 1>>>(); }
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
