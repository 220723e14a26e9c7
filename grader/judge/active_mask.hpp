// __activemask() names lanes that run together by chance. The virtual GPU runs the lanes of a warp together
// again after each branch and each loop; other GPUs need not do so before the next warp-wide operation (CUDA
// C++ Programming Guide, "Independent Thread Scheduling"). Programs for which any such lanes are right, as
// those that only save atomics, get a warning. A program that uses it runs a second time, with the halves of
// each warp apart (vgpu::Scaled::active_masks), and the result must be right again. Pure.
#pragma once

#include <optional>

#include "base/diagnostic.hpp"
#include "judge/judge.hpp"
#include "runner/runner.hpp"

namespace grader {

/// WG-B03 as a warning, if a launch executed the first line with __activemask().
std::optional<Diagnostic> warn_of_active_mask(const CaseRun& run, const SourceText& source);

/// The same, or the first line with cooperative_groups::coalesced_threads(), which need not be a mistake: it
/// is the same group of lanes. For depends_on_active_mask().
std::optional<Diagnostic> use_of_active_mask(const CaseRun& run, const SourceText& source);

/// The warning as an error: the second run was not accepted.
Diagnostic depends_on_active_mask(Diagnostic warning);

}  // namespace grader
