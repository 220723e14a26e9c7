// Bad input: creates processes endlessly.
#include <unistd.h>

#include "lab/tiled_matmul.hpp"

void tiled_matmul(const float*, const float*, float*, int, int, int) {
  for (;;) (void)fork();
}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
