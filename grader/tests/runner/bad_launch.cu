// Requests a block size that no device supports.
#include "lab/tiled_matmul.hpp"

namespace {
__global__ void kernel() {}
}  // namespace

void tiled_matmul(const float*, const float*, float*, int, int, int) { kernel<<<1, 5000>>>(); }
