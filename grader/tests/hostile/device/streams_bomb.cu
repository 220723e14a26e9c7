// Creates streams endlessly.
#include "lab/tiled_matmul.hpp"

void tiled_matmul(const float*, const float*, float*, int, int, int) {
  cudaStream_t stream;
  for (;;) cudaStreamCreate(&stream);
}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
