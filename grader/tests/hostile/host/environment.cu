// Sets an environment variable.
#include <cstdlib>

#include "lab/tiled_matmul.hpp"

void tiled_matmul(const float*, const float*, float*, int, int, int) {
  setenv("CUDA_VISIBLE_DEVICES", "1", 1);
}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
