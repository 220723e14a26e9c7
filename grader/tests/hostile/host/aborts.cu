// Calls abort().
#include <cstdlib>

#include "lab/tiled_matmul.hpp"

void tiled_matmul(const float*, const float*, float*, int, int, int) {
  std::abort();
}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
