// Which system calls a box may make: a filter for the kernel (seccomp), made with libseccomp and handed to
// bubblewrap. What no compiler, C++ or CUDA program needs is refused with an error; the 32-bit interfaces end
// the process. Thread safe. Covered by tests/sandbox/system_calls_test.cpp; the list is published in
// handout/instructor/threat-model.md.
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

/// The filter as the kernel's BPF program; nullopt: libseccomp cannot make it here.
std::optional<std::string> system_call_filter(SystemCalls calls);

/// Names of the calls that are refused whatever their arguments are, in the order of the manual.
const std::vector<std::string_view>& refused_system_calls();

}  // namespace grader
