// What a kernel did wrong on the virtual GPU, as diagnostics.
#pragma once

#include <vector>

#include "base/diagnostic.hpp"
#include "harness/job.hpp"
#include "judge/judge.hpp"
#include "vgpu/cudart/device_side/server.hpp"
#include "vgpu/facts/fault.hpp"

namespace grader {

/// Memory faults name the array: the harness allocates the job's inputs, then its outputs, before the
/// student's function runs, so allocation n is the n-th of them, provided that its size agrees.
/// `memory`: what the program says of its own; labs do without, since it may say anything.
Diagnostic diagnose_fault(const vgpu::Fault& fault, const harness::Job& job, const SourceText& source,
                          const vgpu::cudart::MemoryNames& memory = {});

}  // namespace grader
