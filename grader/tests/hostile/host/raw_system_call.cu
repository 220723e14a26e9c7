// Calls the operating system without the C library.
#include <sys/syscall.h>
#include <unistd.h>

#include "lab/tiled_matmul.hpp"

void tiled_matmul(const float*, const float*, float*, int, int, int) {
  syscall(SYS_getpid);
}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
