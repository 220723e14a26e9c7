// Bad input: allocates host memory endlessly.
#include <stdlib.h>

#include "lab/tiled_matmul.hpp"

void tiled_matmul(const float*, const float*, float*, int, int, int) {
  const size_t chunk = size_t{64} << 20;
  for (;;) {
    volatile char* memory = static_cast<volatile char*>(malloc(chunk));  // volatile, so that it is not optimised away
    if (memory == nullptr) abort();
    for (size_t i = 0; i < chunk; i += 4096) memory[i] = 1;  // uses memory, not only addresses
  }
}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
