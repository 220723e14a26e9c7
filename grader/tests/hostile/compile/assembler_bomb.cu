// Asks the assembler for gigabytes.
#include "lab/tiled_matmul.hpp"

asm(".rept 200000000\n.quad 0\n.endr");
void tiled_matmul(const float*, const float*, float*, int, int, int) {}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
