// Computes for ever on the host.
#include "lab/tiled_matmul.hpp"

void tiled_matmul(const float*, const float*, float*, int, int, int) {
  for (volatile int i = 0;; i = i + 1) {
  }
}
