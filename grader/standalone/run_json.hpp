// The record of `warpgrade run`: schema/run.schema.json. Equal runs give equal bytes.
#pragma once

#include <string>

#include "standalone/program_run.hpp"

namespace grader {

/// Ends with a line end.
std::string run_json(const ProgramRun& run, const vgpu::Profile& profile);

}  // namespace grader
