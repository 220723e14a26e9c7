// Stops itself: neither CPU time nor sleep.
#include <csignal>

#include "lab/tiled_matmul.hpp"

void tiled_matmul(const float*, const float*, float*, int, int, int) { std::raise(SIGSTOP); }
