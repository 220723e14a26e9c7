// Bad input: the host function writes through a null pointer.
#include "lab/tiled_matmul.hpp"

int* volatile nowhere = nullptr;

void tiled_matmul(const float*, const float*, float*, int, int, int) { *nowhere = 1; }
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) { *nowhere = 1; }
