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
  /// The case makes earlier calls, which look for what the function keeps. What it keeps from its first call
  /// in a process is only found if the first case of the process makes them.
  bool looks_for_state = false;
};

/// Indices of cases: the first one that looks for state, if any, then the others in their order. nullopt: a
/// case that shares no process. Every batch has at least two cases. Cases of different functions are kept
/// apart, so that no function depends on what another one left on the device.
std::vector<std::vector<std::size_t>> batches_of(const std::vector<std::optional<BatchCase>>& cases);

}  // namespace grader
