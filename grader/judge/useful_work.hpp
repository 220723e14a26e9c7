// Which kernels and copies are on the way from the inputs to the result: they use what was copied to the
// device, and the result uses what they stored. Copies of inputs that are on the device already are not on
// this way. Other work can run at the same time as the copies without saving time, so it does not count as
// overlapped (vgpu::overlap_fraction). Pure. Covered by tests/judge/useful_work_test.cpp.
#pragma once

#include "harness/job.hpp"
#include "runner/case_run.hpp"

namespace grader {

/// Sets TimedOperation::is_useful in the timeline of a right run. Changes nothing for outputs in device
/// memory, for which no words are recorded.
void mark_useful_work(CaseRun& run, const harness::Job& job);

}  // namespace grader
