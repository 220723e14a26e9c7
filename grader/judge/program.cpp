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
using vgpu::cudart::HostPlace;
using vgpu::cudart::SessionReport;

void locate(Diagnostic& problem, const HostPlace& place, const SourceReader& read) {
  locate(problem, place.file, place.line, read ? read(place.file) : SourceText{});
}

/// "main.cu" of a path.
std::string_view name_of_file(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// " in `main`" where a function is all that is known.
std::string in_function(const HostPlace& place) {
  return place.file.empty() && !place.function.empty() ? fmt::format(" in `{}`", place.function) : "";
}

std::string described(const SessionReport& program, const vgpu::Allocation& allocation, std::size_t kept) {
  std::string text =
      fmt::format("allocation {} ({} bytes)", allocation.ordinal - kept, allocation.size_bytes);
  const auto known = program.allocation_places.find(allocation.start);
  if (known == program.allocation_places.end()) return text;
  const HostPlace& place = known->second;
  return text + (place.file.empty()
                     ? in_function(place)
                     : fmt::format(" at {}:{}", cleaned(name_of_file(place.file)), place.line));
}

}  // namespace

Diagnostic ignored_failure(const ApiFailure& failure, std::size_t count, const SourceReader& read) {
  Diagnostic problem;
  problem.code = "WG-H13";
  problem.what = fmt::format("{}{} failed with {} and the program never looked at the error",
                             cleaned(failure.call), in_function(failure.place), error_name(failure.error));
  locate(problem, failure.place, read);
  problem.first = cleaned(failure.detail);
  problem.count = count;
  problem.likely_cause = "the call's return value is not compared with cudaSuccess";
  problem.next_step = "check every call; after a launch call cudaGetLastError()";
  return problem;
}

std::optional<Diagnostic> leaked_memory(const SessionReport& program, std::size_t kept,
                                        const SourceReader& read) {
  constexpr std::size_t kShown = 3;
  if (program.live_allocations.size() <= kept) return std::nullopt;
  auto live = program.live_allocations;
  std::sort(live.begin(), live.end(), [](const auto& a, const auto& b) { return a.ordinal < b.ordinal; });
  const std::span lost = std::span(live).subspan(kept);
  std::uint64_t bytes = 0;
  std::vector<std::string> shown;
  for (const auto& allocation : lost) {
    bytes += allocation.size_bytes;
    if (shown.size() < kShown) shown.push_back(described(program, allocation, kept));
  }
  Diagnostic problem;
  problem.code = "WG-M09";
  problem.severity = Severity::warning;
  problem.what = fmt::format("the program ends with {} of device memory not freed, {} bytes",
                             counted(lost.size(), "allocation"), bytes);
  const auto first = program.allocation_places.find(lost.front().start);
  if (first != program.allocation_places.end()) locate(problem, first->second, read);
  problem.first = fmt::format("{}{}", fmt::join(shown, ", "), lost.size() > kShown ? ", …" : "");
  problem.likely_cause = "cudaFree is missing, or a return in between skips it";
  problem.next_step = "free what cudaMalloc gave, on every way out; allocation 1 is the program's first";
  return problem;
}

std::vector<Diagnostic> diagnose_program(const SessionReport& program, std::size_t kept,
                                         const SourceReader& read) {
  std::vector<Diagnostic> found;
  const auto ignored = [](const ApiFailure& failure) { return failure.is_ignored; };
  const auto first = std::find_if(program.failures.begin(), program.failures.end(), ignored);
  if (first != program.failures.end()) {
    const auto count = std::count_if(program.failures.begin(), program.failures.end(), ignored);
    found.push_back(ignored_failure(*first, static_cast<std::size_t>(count), read));
  }
  if (auto leak = leaked_memory(program, kept, read)) found.push_back(*std::move(leak));
  return found;
}

}  // namespace grader
