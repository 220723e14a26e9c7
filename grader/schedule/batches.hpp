// The cases that a real GPU runs in one process: the checked cases that call the same function. Pure. Covered
// by schedule/batches_test.cpp.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace grader {

/// A case that can share a process with others.
struct BatchCase {
  std::string entry;  ///< the student's function
  /// The case's own calls look for what the function keeps from its first call in a process, so this case
  /// must be the first of its process.
  bool needs_new_process = false;
};

/// Indices of cases: the one that needs a new process, if any, then the others in their order. nullopt: a
/// case that shares no process. Every batch has at least two cases. Cases of different functions are kept
/// apart, so that no function depends on what another one left on the device.
std::vector<std::vector<std::size_t>> batches_of(const std::vector<std::optional<BatchCase>>& cases);

}  // namespace grader
