// Programs whose blocks communicate can rely on the order in which the blocks happen to run: on that of their
// numbers, which a GPU does not promise. A case whose kernels use atomic operations or flags in global memory
// runs a second time, with blocks in the opposite order, and blocks that take turns at atomic operations
// (vgpu::Scaled::block_turns). The result must be right again, and no check may find anything. If blocks wait
// for others, the launch must also end on a device that holds one block at a time. Pure. Covered by
// tests/judge/block_order_test.cpp.
#pragma once

#include "base/diagnostic.hpp"
#include "judge/judge.hpp"
#include "runner/runner.hpp"

namespace grader {

/// Whether blocks or warps of a launch can communicate, in a run that is small enough for more of them.
bool can_depend_on_order(const CaseRun& run);

/// Whether blocks of an ordinary launch waited for others, or do so in vain.
bool has_waiting_blocks(const CaseRun& run);
/// Whether a launch was given up because its blocks waited in vain.
bool waits_in_vain(const CaseRun& run);

/// Adds to a problem of a device that holds one block at a time the order in which the blocks start.
void add_order_of_start(Diagnostic& one, vgpu::Scaled order);

/// WG-R04, in a line of the run's kernels: with blocks and warps in the opposite order, there are other
/// results.
Diagnostic depends_on_order(const SourceText& source, const CaseRun& run);

/// WG-R04: only with blocks and warps that take turns.
Diagnostic depends_on_turns(const SourceText& source, const CaseRun& run);

}  // namespace grader
