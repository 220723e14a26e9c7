// Runs a case on the real GPU under Nsight Compute and compute-sanitizer, for `warpgrade profile --device`.
#pragma once

#include <filesystem>

#include "lab/lab.hpp"
#include "profile/gpu_facts.hpp"
#include "runner/runner.hpp"
#include "schedule/build_cache.hpp"

namespace grader::app {

/// `runner` is a real GPU's. `on_virtual`: the run of the same case on the virtual GPU. A tool that is not
/// installed is a note; a tool that does not work, and a file that does not build, is a problem.
GpuFacts gpu_facts(const Runner& runner, const BuildCache& cache, const Lab& lab, const Case& one_case,
                   const std::filesystem::path& source, const vgpu::cudart::SessionReport& on_virtual);

}  // namespace grader::app
