// A run's timeline in the Trace Event Format, which Perfetto (https://ui.perfetto.dev) and chrome://tracing
// open. Each program has two trace processes, one for streams and one for engines, with a thread per row.
#pragma once

#include <string>

#include "standalone/program_run.hpp"

namespace grader {

/// Deterministic. Times are in microseconds, as the format requires, with a resolution of 0.1 ns.
std::string trace_json(const ProgramRun& run, const vgpu::Profile& profile);

}  // namespace grader
