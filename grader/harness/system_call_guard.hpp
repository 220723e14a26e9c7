// Ends the process when code that is loaded later makes a system call itself. The kernel decides this at the
// instruction, so it also holds for system calls hidden in operands, which no examination of a file finds.
// Library functions still make system calls for their callers. Covered by tests/runner/hostile_test.cpp.
#pragma once

namespace grader::harness {

/// Must be called after all libraries are loaded and before the submission is. Cannot be undone. Does nothing
/// on kernels without seccomp.
void guard_system_calls();

}  // namespace grader::harness
