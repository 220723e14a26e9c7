// What the launch and the source show about an access outside a block's shared memory, or outside its array
// there. Pure. Covered by tests/judge/shared_faults_test.cpp.
#pragma once

#include <string_view>

#include "base/diagnostic.hpp"
#include "judge/judge.hpp"

namespace grader {

/// Replaces the likely cause and the next step if there is a better cause than a wrong index. `launch` has
/// the fault, or the finding; `entry` is the student's function.
void explain_shared_fault(const vgpu::LaunchRecord& launch, const vgpu::Fault& fault,
                          const SourceText& source, std::string_view entry, Diagnostic& outside);

}  // namespace grader
