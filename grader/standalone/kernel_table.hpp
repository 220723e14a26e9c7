// A run's counters as a table for people, one line a kernel.
#pragma once

#include <string>

#include "report/terminal.hpp"
#include "standalone/program_run.hpp"

namespace grader {

/// Kernels in the order of their first launch; launches of the same kernel added up. Empty: nothing was
/// launched.
std::string kernel_table(const ProgramRun& run, const Terminal& terminal);

}  // namespace grader
