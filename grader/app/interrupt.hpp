// Ctrl-C and SIGTERM as a flag that boxes, kernels and loops look at.
#pragma once

#include <atomic>

namespace grader::app {

/// From the first call on, SIGINT and SIGTERM set the flag that is returned; one that comes more than half a
/// second later ends the program at once.
std::atomic<bool>& stop_flag();
/// True if a signal set the flag (a run that cannot write sets it too).
bool was_interrupted();

}  // namespace grader::app
