// Throws an exception that is not caught.
#include <stdexcept>

#include "lab/tiled_matmul.hpp"

void tiled_matmul(const float*, const float*, float*, int, int, int) {
  throw std::runtime_error("no result today");
}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
