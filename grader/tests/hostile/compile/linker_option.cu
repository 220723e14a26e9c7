// Tries to pass options to the linker.
#include "lab/tiled_matmul.hpp"

#pragma comment(linker, "/EXPORT:anything")
__asm__(".section .drectve\n.ascii \" -lssl\"");
void tiled_matmul(const float*, const float*, float*, int, int, int) {}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
