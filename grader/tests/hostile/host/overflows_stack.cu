// Recurses endlessly.
#include "lab/tiled_matmul.hpp"

int deep(volatile int n) {
  volatile char room[4096];
  room[0] = static_cast<char>(n);
  return n == 0 ? 0 : deep(n + 1) + room[0];
}

void tiled_matmul(const float*, const float*, float*, int, int, int) {
  volatile int sum = deep(1);
  (void)sum;
}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
