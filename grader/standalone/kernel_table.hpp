// A run's counters as a table for people, one row per kernel.
#pragma once

#include <string>

#include "report/terminal.hpp"
#include "standalone/program_run.hpp"

namespace grader {

/// Kernels are in the order of their first launch; launches of the same kernel are added up. Empty if nothing
/// was launched.
std::string kernel_table(const ProgramRun& run, const Terminal& terminal);

}  // namespace grader
