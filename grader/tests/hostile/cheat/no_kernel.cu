// Copies an input over the output and launches nothing.
#include "lab/tiled_matmul.hpp"

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) { cudaMemcpy(d_P, d_M, sizeof(float), cudaMemcpyDeviceToDevice); }
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
