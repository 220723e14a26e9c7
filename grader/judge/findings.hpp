// What the virtual GPU's checks found in kernels that ran to their end, as diagnostics: races and reads of
// memory that nobody has written.
#pragma once

#include "base/diagnostic.hpp"
#include "harness/job.hpp"
#include "judge/judge.hpp"
#include "vgpu/cudart/device_side/server.hpp"
#include "vgpu/facts/fault.hpp"

namespace grader {

/// Whether the finding alone makes a kernel wrong. A read of unwritten memory whose value nobody uses does
/// not: it explains a wrong result, but right values stay right. Nor does what the checks could not look at.
bool is_decisive(const vgpu::Fault& finding);

/// `memory`: as for diagnose_fault().
Diagnostic diagnose_finding(const vgpu::Fault& finding, const harness::Job& job, const SourceText& source,
                            const vgpu::cudart::MemoryNames& memory = {});

}  // namespace grader
