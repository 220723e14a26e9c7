// Host assembly in a function that looks like a device function.
#include "lab/tiled_matmul.hpp"

#define __device__
__device__ void hidden() {
  long result = 39;
  asm volatile("syscall" : "+a"(result)::"rcx", "r11", "memory");
}
void tiled_matmul(const float*, const float*, float*, int, int, int) { hidden(); }
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
