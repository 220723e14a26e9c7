// Messages about accesses to memory: outside arrays, misaligned, of freed memory. Pure. Covered by
// tests/judge/judge_test.cpp.
#pragma once

#include <cstdint>

#include "base/diagnostic.hpp"
#include "harness/job.hpp"
#include "judge/judge.hpp"
#include "vgpu/cudart/device_side/server.hpp"
#include "vgpu/facts/fault.hpp"

namespace grader {

/// Addresses below are null pointers with an offset.
inline constexpr std::uint64_t kNullPageBytes = 4096;

// Each sets the diagnostic's code and texts, but for the thread. `memory`: as for diagnose_fault().
void describe_out_of_bounds(const vgpu::Fault& fault, const harness::Job& job, const SourceText& source,
                            const vgpu::cudart::MemoryNames& memory, Diagnostic& diagnostic);
void describe_misaligned(const vgpu::Fault& fault, const vgpu::cudart::MemoryNames& memory,
                         Diagnostic& diagnostic);
void describe_freed(const vgpu::Fault& fault, const harness::Job& job,
                    const vgpu::cudart::MemoryNames& memory, Diagnostic& diagnostic);
void describe_constant_write(const vgpu::Fault& fault, Diagnostic& diagnostic);

}  // namespace grader
