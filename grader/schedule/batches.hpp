// The cases that a real GPU runs in one process: the checked cases that call the same function. Pure. Covered
// by schedule/batches_test.cpp.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace grader {

/// Indices of cases, in their order. `entries`: for each case the student's function that it calls; nullopt
/// for a case that needs a process of its own. Every batch has at least two cases. Cases of different
/// functions are kept apart, so that no function depends on what another one left on the device.
std::vector<std::vector<std::size_t>> batches_of(const std::vector<std::optional<std::string>>& entries);

}  // namespace grader
