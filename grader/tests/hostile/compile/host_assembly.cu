// Makes a system call in host assembly.
#include "lab/tiled_matmul.hpp"

void tiled_matmul(const float*, const float*, float*, int, int, int) {
  long result = 39;
  asm volatile("syscall" : "+a"(result)::"rcx", "r11", "memory");
}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
