// Dereferences a null pointer.
#include "lab/tiled_matmul.hpp"

void tiled_matmul(const float*, const float*, float*, int, int, int) {
  volatile int* nowhere = nullptr;
  *nowhere = 1;
}
