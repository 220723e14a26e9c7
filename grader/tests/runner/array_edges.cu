// Host code that copies element k of M to element m of P. Both are arrays in host memory.
#include "lab/tiled_matmul.hpp"

void tiled_matmul(const float* M, const float*, float* P, int m, int k, int) { P[m] = M[k]; }
