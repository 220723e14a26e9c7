// Bad input: exits with success before the first request.
#include <stdlib.h>

#include "lab/tiled_matmul.hpp"

struct Leave {
  Leave() { _Exit(0); }
} leave;

void tiled_matmul(const float*, const float*, float*, int, int, int) {}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
