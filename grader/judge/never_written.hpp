// Why elements of an output were never written (WG-V02): no thread stored them, or they were not copied to
// the host. Pure. Covered by judge/patterns_test.cpp.
#pragma once

#include <optional>

#include "judge/wrong_values.hpp"

namespace grader {

/// Elements that still have the harness's poison, or the contents of new memory.
std::optional<Diagnostic> diagnose_never_written(const WrongValues& values);

/// Elements that hold the previous contents of a buffer in host memory, because too few bytes came back.
std::optional<Diagnostic> diagnose_left_on_device(const WrongValues& values);

}  // namespace grader
