// A run's timeline in the Trace Event Format, which Perfetto (https://ui.perfetto.dev) and chrome://tracing
// open: a process of streams and a process of engines for each program, a thread for each row.
#pragma once

#include <string>

#include "standalone/program_run.hpp"

namespace grader {

/// Deterministic. Times in microseconds, as the format wants them, to a tenth of a nanosecond.
std::string trace_json(const ProgramRun& run, const vgpu::Profile& profile);

}  // namespace grader
