#include "judge/program.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "judge/host.hpp"
#include "judge/wording.hpp"

namespace grader {
namespace {

using vgpu::cudart::ApiFailure;
using vgpu::cudart::SessionReport;

}  // namespace

Diagnostic ignored_failure(const ApiFailure& failure, std::size_t count) {
  Diagnostic problem;
  problem.code = "WG-H13";
  problem.what = fmt::format("{} failed with {} and the program never looked at the error",
                             cleaned(failure.call), error_name(failure.error));
  problem.first = cleaned(failure.detail);
  problem.count = count;
  problem.likely_cause = "the call's return value is not compared with cudaSuccess";
  problem.next_step = "check every call; after a launch call cudaGetLastError()";
  return problem;
}

std::optional<Diagnostic> leaked_memory(const SessionReport& program, std::size_t kept) {
  constexpr std::size_t kShown = 3;
  if (program.live_allocations.size() <= kept) return std::nullopt;
  auto live = program.live_allocations;
  std::sort(live.begin(), live.end(), [](const auto& a, const auto& b) { return a.ordinal < b.ordinal; });
  const std::span lost = std::span(live).subspan(kept);
  std::uint64_t bytes = 0;
  std::vector<std::string> shown;
  for (const auto& allocation : lost) {
    bytes += allocation.size_bytes;
    if (shown.size() < kShown)
      shown.push_back(
          fmt::format("allocation {} ({} bytes)", allocation.ordinal - kept, allocation.size_bytes));
  }
  Diagnostic problem;
  problem.code = "WG-M09";
  problem.severity = Severity::warning;
  problem.what = fmt::format("the program ends with {} of device memory not freed, {} bytes",
                             counted(lost.size(), "allocation"), bytes);
  problem.first = fmt::format("{}{}", fmt::join(shown, ", "), lost.size() > kShown ? ", …" : "");
  problem.likely_cause = "cudaFree is missing, or a return in between skips it";
  problem.next_step = "free what cudaMalloc gave, on every way out; allocation 1 is the program's first";
  return problem;
}

std::vector<Diagnostic> diagnose_program(const SessionReport& program, std::size_t kept) {
  std::vector<Diagnostic> found;
  const auto ignored = [](const ApiFailure& failure) { return failure.is_ignored; };
  const auto first = std::find_if(program.failures.begin(), program.failures.end(), ignored);
  if (first != program.failures.end()) {
    const auto count = std::count_if(program.failures.begin(), program.failures.end(), ignored);
    found.push_back(ignored_failure(*first, static_cast<std::size_t>(count)));
  }
  if (auto leak = leaked_memory(program, kept)) found.push_back(*std::move(leak));
  return found;
}

}  // namespace grader
