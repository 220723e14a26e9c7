// Sends a request to the device and never returns.
#include <unistd.h>

#include "lab/tiled_matmul.hpp"

void tiled_matmul(const float*, const float*, float*, int, int, int) {
  cudaDeviceSynchronize();
  for (;;) pause();
}
