// An object far above any limit on files.
#include "lab/tiled_matmul.hpp"
char big[100000000] = {1};
void tiled_matmul(const float*, const float*, float*, int, int, int) { big[1] = 2; }
