// Replaces operator new.
#include <cstdlib>
#include <new>

#include "lab/tiled_matmul.hpp"

void* operator new(std::size_t size) { return std::malloc(size + 1); }
void tiled_matmul(const float*, const float*, float*, int, int, int) {}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
