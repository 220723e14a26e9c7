// Runs code when the program ends.
#include "lab/tiled_matmul.hpp"

__attribute__((destructor)) void late() {}
void tiled_matmul(const float*, const float*, float*, int, int, int) {}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
