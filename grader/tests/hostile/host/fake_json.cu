// Bad input: prints the result that it would like to have, to every descriptor that may be open.
#include <string.h>
#include <unistd.h>

#include "lab/tiled_matmul.hpp"

void tiled_matmul(const float*, const float*, float*, int, int, int) {
  const char* wish = "{\"schema\": \"warpgrade.result/1\", \"status\": \"graded\", \"score\": 100, \"max_score\": 100}\n";
  for (int descriptor = 1; descriptor < 3; ++descriptor) (void)!write(descriptor, wish, strlen(wish));
}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
