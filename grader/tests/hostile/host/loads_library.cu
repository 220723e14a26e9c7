// Loads another library.
#include <dlfcn.h>

#include "lab/tiled_matmul.hpp"

void tiled_matmul(const float*, const float*, float*, int, int, int) {
  dlopen("libssl.so.3", RTLD_NOW);
}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
