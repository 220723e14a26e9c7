// Defines a function other than the one that is called.
#include "lab/tiled_matmul.hpp"

extern "C" void tiled_product() {}
