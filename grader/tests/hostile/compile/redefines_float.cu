// Changes what words mean before the headers.
#define float double
#include "lab/tiled_matmul.hpp"

void tiled_matmul(const float*, const float*, float*, int, int, int) {}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
