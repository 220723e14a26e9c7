// Turns faults of kernels on the virtual GPU into diagnostics.
#pragma once

#include <vector>

#include "base/diagnostic.hpp"
#include "harness/job.hpp"
#include "judge/judge.hpp"
#include "vgpu/cudart/device_side/server.hpp"
#include "vgpu/facts/fault.hpp"

namespace grader {

/// Memory faults name the array. The harness allocates the job's inputs, then its outputs, before the
/// student's function runs, so allocation n is the n-th of these arrays if its size matches. `memory`: names
/// and places that the program itself reports. Labs leave it empty, because a submission can report anything.
Diagnostic diagnose_fault(const vgpu::Fault& fault, const harness::Job& job, const SourceText& source,
                          const vgpu::cudart::MemoryNames& memory = {});

}  // namespace grader
