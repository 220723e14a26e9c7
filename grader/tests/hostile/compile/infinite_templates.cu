// Endless template recursion.
#include "lab/tiled_matmul.hpp"

template <int N>
struct Deep {
  static constexpr int value = Deep<N + 1>::value;
};
int depth = Deep<0>::value;
void tiled_matmul(const float*, const float*, float*, int, int, int) {}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
