// Reads standard input, which is empty.
#include "/dev/stdin"
#include "lab/tiled_matmul.hpp"
void tiled_matmul(const float*, const float*, float*, int, int, int) {}
