// Bad input: writes to the channels to the grader and to the device.
#include <string.h>
#include <unistd.h>

#include "lab/tiled_matmul.hpp"

void tiled_matmul(const float*, const float*, float*, int, int, int) {
  const char noise[] = "{\"outputs\": [], \"seconds\": [0], \"problem\": \"\"}\n";
  for (int descriptor = 3; descriptor < 16; ++descriptor) (void)!write(descriptor, noise, sizeof noise);
}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
