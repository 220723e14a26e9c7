// Determines whether an output can be complete: how much of it kernels stored, and how much was copied to the
// host. Known only on the virtual GPU, and only if kernels ran. Tested by supply_test.cpp.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/job.hpp"
#include "runner/runner.hpp"

namespace grader {

struct Supply {
  /// Distinct bytes that kernels stored to the output, if its address is known; otherwise distinct bytes
  /// stored by all launches, less the size of the other outputs.
  std::uint64_t stored_bytes = 0;
  /// A launch of several blocks stored some bytes more than once.
  bool stores_repeat = false;
  /// Bytes copied to the host. Known only if all arrays are in host memory, so that results can arrive only
  /// by copies, and no kernel stored to host memory directly.
  std::optional<std::uint64_t> fetched_bytes = std::nullopt;
};

std::optional<Supply> supply_of(const CaseRun& run, const harness::Job& job, std::size_t output);

}  // namespace grader
