// The system calls that a box may make: a kernel filter (seccomp), built with libseccomp and passed to
// bubblewrap. Calls that no compiler, C++ or CUDA program needs fail with an error; calls through the 32-bit
// interfaces end the process. Thread safe. Covered by tests/sandbox/system_calls_test.cpp; the list is
// published in handout/instructor/threat-model.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace grader {

enum class SystemCalls {
  ordinary,  ///< compilers, and programs on the virtual GPU
  gpu,       ///< a real GPU's driver needs more: local sockets and file locks
};

/// The filter as the kernel's BPF program; nullopt: libseccomp cannot build it on this machine.
std::optional<std::string> system_call_filter(SystemCalls calls);

/// Names of the calls that are refused regardless of their arguments, in the order of the manual.
const std::vector<std::string_view>& refused_system_calls();

}  // namespace grader
