// Tens of thousands of errors.
#include "lab/tiled_matmul.hpp"

#define TEN(x) x x x x x x x x x x
#define MANY(x) TEN(TEN(TEN(TEN(x))))
void flood() { MANY(undeclared_name = 1;) }
void tiled_matmul(const float*, const float*, float*, int, int, int) {}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
