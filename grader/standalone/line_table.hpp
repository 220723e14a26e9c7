// A run's counters by source line, for people: one table per kernel, sorted by executed instructions, with
// the text of each line if its file can be read. Covered by tests/standalone/line_table_test.cpp.
#pragma once

#include <string>

#include "report/terminal.hpp"
#include "standalone/program_run.hpp"

namespace grader {

/// Kernels are in the order of their first launch; launches of the same kernel are added up. Empty if nothing
/// was launched or every launch faulted.
std::string line_table(const ProgramRun& run, const Terminal& terminal);

}  // namespace grader
