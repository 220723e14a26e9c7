// Places of faults and findings, also if the compiler recorded no line for an instruction because it merged
// the same operation of several lines. Covered by tests/judge/case_faults_test.cpp.
#pragma once

#include <string_view>

#include "base/diagnostic.hpp"
#include "judge/judge.hpp"
#include "vgpu/facts/fault.hpp"

namespace grader {

/// Sets the place of the access: its line; if that is unknown, the first line of the kernel that stores to
/// the array in shared memory, or the launch of the kernel in the function `entry`. Adds to `first` what such
/// a line is.
void locate_access(Diagnostic& diagnostic, const vgpu::Fault& fault, std::string_view entry,
                   const SourceText& source);

}  // namespace grader
