// A macro that expands to 10^9 tokens.
#include "lab/tiled_matmul.hpp"

#define A(x) x x x x x x x x x x
#define B(x) A(A(A(x)))
#define C(x) B(B(B(x)))
#define NUMBER 1 +
int number = C(NUMBER) 0;
void tiled_matmul(const float*, const float*, float*, int, int, int) {}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
