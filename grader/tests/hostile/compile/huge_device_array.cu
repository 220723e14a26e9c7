// Two gigabytes of initialised device data.
#include "lab/tiled_matmul.hpp"

__device__ char data[2000000000] = {1};
void tiled_matmul(const float*, const float*, float*, int, int, int) {}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
