// The JSON report of `warpgrade run`, as in schema/run.schema.json. Equal runs give equal bytes.
#pragma once

#include <string>

#include "standalone/program_run.hpp"

namespace grader {

/// The text ends with a line feed.
std::string run_json(const ProgramRun& run, const vgpu::Profile& profile);

}  // namespace grader
