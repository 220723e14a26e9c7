// Writes data to the device's socket that is not a command.
#include <cstring>

#include <unistd.h>

#include "lab/tiled_matmul.hpp"

void tiled_matmul(const float*, const float*, float*, int, int, int) {
  char noise[4096];
  std::memset(noise, 0xA5, sizeof noise);
  if (write(4, noise, sizeof noise) < 0) _exit(1);
}
