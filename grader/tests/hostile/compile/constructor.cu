// Runs code before the first call.
#include "lab/tiled_matmul.hpp"

__attribute__((constructor)) void early() {}
void tiled_matmul(const float*, const float*, float*, int, int, int) {}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
