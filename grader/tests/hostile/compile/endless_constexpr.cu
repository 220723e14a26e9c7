// A constant expression that takes for ever to compute.
#include "lab/tiled_matmul.hpp"

constexpr unsigned long count() {
  unsigned long n = 0;
  while (true) ++n;
  return n;
}
constexpr unsigned long kCount = count();
void tiled_matmul(const float*, const float*, float*, int, int, int) {}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
