// A run's counters by source line, for people: one table a kernel, the line that ran the most instructions
// first, with the line's text where its file can be read. Covered by tests/standalone/line_table_test.cpp.
#pragma once

#include <string>

#include "report/terminal.hpp"
#include "standalone/program_run.hpp"

namespace grader {

/// Kernels in the order of their first launch; launches of the same kernel added up. Empty: nothing was
/// launched, or every launch faulted.
std::string line_table(const ProgramRun& run, const Terminal& terminal);

}  // namespace grader
