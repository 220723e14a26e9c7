// Ctrl-C, SIGTERM and a closed terminal as a flag that sandboxes, kernels and loops poll.
#pragma once

#include <atomic>

namespace grader::app {

/// From the first call on, SIGINT, SIGTERM and SIGHUP set the returned flag (SIGHUP not under nohup). A
/// further signal more than half a second after the first ends the program immediately.
std::atomic<bool>& stop_flag();
/// True if a signal set the flag. A run that cannot write its output also sets the flag; then this is false.
bool was_interrupted();
/// Called before a further signal ends the program; nullptr: nothing is. Must be async-signal-safe.
void before_second_interrupt(void (*act)());

}  // namespace grader::app
