// A kernel stores values that no later kernel reads, although another kernel runs after it: the next kernel
// gets another array. Known on the virtual GPU, for results in device memory. Covered by
// tests/judge/unread_memory_test.cpp.
#pragma once

#include <optional>
#include <string>

#include "harness/job.hpp"
#include "runner/runner.hpp"

namespace grader {

/// The likely cause of a wrong result.
std::optional<std::string> unread_memory(const CaseRun& run, const harness::Job& job);

}  // namespace grader
