// Bad input: a source that does not compile.
#include "lab/tiled_matmul.hpp"

void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {
  this is not C++
}
