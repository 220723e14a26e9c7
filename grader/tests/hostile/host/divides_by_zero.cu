// Divides by zero on the host.
#include <cstdlib>

#include "lab/tiled_matmul.hpp"

void tiled_matmul(const float*, const float*, float*, int, int, int) {
  volatile int zero = 0;
  volatile int result = 7 / zero;
  (void)result;
}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
