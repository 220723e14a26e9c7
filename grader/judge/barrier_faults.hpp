// Messages about barriers and warps: threads that do not arrive, lanes that do not take part. Pure.
#pragma once

#include "base/diagnostic.hpp"
#include "judge/source_hints.hpp"
#include "vgpu/facts/fault.hpp"

namespace grader {

/// An instruction of an mbarrier (cuda::barrier), not of __syncthreads().
bool is_of_memory_barrier(const vgpu::Fault& fault);

// Each sets the diagnostic's code and texts.
void describe_barrier(const vgpu::Fault& fault, const SourceText& source, Diagnostic& diagnostic);
void describe_missing_lanes(const vgpu::Fault& fault, Diagnostic& diagnostic);
void describe_not_uniform(const vgpu::Fault& fault, Diagnostic& diagnostic);

}  // namespace grader
