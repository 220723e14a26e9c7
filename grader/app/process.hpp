// What this process inherits from the shell that started it, and what it needs to compile and run programs.
// Covered by e2e/process_test.cpp.
#pragma once

#include <optional>

#include "base/diagnostic.hpp"

namespace grader::app {

/// Raises the limit of open files as far as the shell permits. Returns WG-G27 if the limit is still too low,
/// or if the folder for temporary files (TMPDIR) cannot be used.
std::optional<Diagnostic> prepare_process();

}  // namespace grader::app
