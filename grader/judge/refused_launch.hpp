// Launches that the device refuses: the configuration is impossible. Covered by
// tests/judge/refused_launch_test.cpp.
#pragma once

#include "base/diagnostic.hpp"
#include "judge/judge.hpp"

namespace grader {

/// The launch did not run, and not because of an earlier fault.
bool is_refused(const vgpu::LaunchRecord& launch);

/// WG-H07, without a line. Requires is_refused(launch).
Diagnostic refused_launch(const vgpu::LaunchRecord& launch, const SourceText& source);

}  // namespace grader
