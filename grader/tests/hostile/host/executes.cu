// Replaces itself with another program.
#include <unistd.h>

#include "lab/tiled_matmul.hpp"

void tiled_matmul(const float*, const float*, float*, int, int, int) {
  execl("/bin/sh", "sh", "-c", "id", nullptr);
}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
