// Opens a network socket.
#include <sys/socket.h>

#include "lab/tiled_matmul.hpp"

void tiled_matmul(const float*, const float*, float*, int, int, int) {
  (void)socket(AF_INET, SOCK_STREAM, 0);
}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
