// Floods standard error.
#include <iostream>

#include "lab/tiled_matmul.hpp"

void tiled_matmul(const float*, const float*, float*, int, int, int) {
  for (;;) std::cerr << "a line without meaning, again and again and again\n";
}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
