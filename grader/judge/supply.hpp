// Whether an output could be complete: what kernels stored to it, and what of it came to the host. Known of
// the virtual GPU only, where kernels ran. Covered by supply_test.cpp.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/job.hpp"
#include "runner/runner.hpp"

namespace grader {

struct Supply {
  /// Different bytes that kernels stored, to the output if its place is known, otherwise in all launches,
  /// less what the other outputs take.
  std::uint64_t stored_bytes = 0;
  /// A launch of several blocks stored more bytes than different ones.
  bool stores_repeat = false;
  /// Bytes that came to the host. Known where all arrays lie there, so that results have no other way, and no
  /// kernel stored to the host's memory itself.
  std::optional<std::uint64_t> fetched_bytes = std::nullopt;
};

std::optional<Supply> supply_of(const CaseRun& run, const harness::Job& job, std::size_t output);

}  // namespace grader
