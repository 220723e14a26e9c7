// Turns findings of the virtual GPU's checks in kernels that completed into diagnostics: races and reads of
// unwritten memory.
#pragma once

#include "base/diagnostic.hpp"
#include "harness/job.hpp"
#include "judge/judge.hpp"
#include "vgpu/cudart/device_side/server.hpp"
#include "vgpu/facts/fault.hpp"

namespace grader {

/// Whether the finding alone makes a kernel wrong. A read of unwritten memory does not, because the
/// element that gets a result of it might be unused: it explains a wrong result, but a right result stays
/// accepted. Only the old contents of an output may not be used (unwritten_reads.hpp). Accesses that
/// the checks could not examine do not make a kernel wrong either.
bool is_decisive(const vgpu::Fault& finding, const harness::Job& job);

/// `memory`: as for diagnose_fault().
Diagnostic diagnose_finding(const vgpu::Fault& finding, const harness::Job& job, const SourceText& source,
                            const vgpu::cudart::MemoryNames& memory = {});

}  // namespace grader
