// Three gigabytes of initialised data.
#include "lab/tiled_matmul.hpp"

char data[3000000000] = {1};
void tiled_matmul(const float*, const float*, float*, int, int, int) {}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
