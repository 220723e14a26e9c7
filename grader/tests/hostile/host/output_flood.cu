// Bad input: prints endlessly.
#include <stdio.h>

#include "lab/tiled_matmul.hpp"

void tiled_matmul(const float*, const float*, float*, int, int, int) {
  for (;;) puts("all work and no play makes Jack a dull boy");
}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
