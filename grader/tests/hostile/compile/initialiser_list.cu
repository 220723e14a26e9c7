// Adds itself to the list of initialisers.
#include "lab/tiled_matmul.hpp"

static void early() {}
__attribute__((section(".init_array"), used)) static void (*entry)() = early;
void tiled_matmul(const float*, const float*, float*, int, int, int) {}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
