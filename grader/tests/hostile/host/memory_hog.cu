// Bad input: host memory without end.
#include <stdlib.h>

#include "lab/tiled_matmul.hpp"

void tiled_matmul(const float*, const float*, float*, int, int, int) {
  const size_t chunk = size_t{64} << 20;
  for (;;) {
    volatile char* memory = static_cast<volatile char*>(malloc(chunk));  // volatile: or it is optimised away
    if (memory == nullptr) abort();
    for (size_t i = 0; i < chunk; i += 4096) memory[i] = 1;  // so that it takes memory, not only addresses
  }
}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
