#include "judge/program.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "judge/memory_names.hpp"
#include "judge/streams.hpp"
#include "judge/wording.hpp"
#include "vgpu/facts/address_text.hpp"

namespace grader {
namespace {

using vgpu::cudart::ApiFailure;
using vgpu::cudart::HostPlace;
using vgpu::cudart::MemoryKind;
using vgpu::cudart::NamedMemory;
using vgpu::cudart::SessionReport;
using vgpu::cudart::UnwrittenCopy;

/// " in `main`" if only the function is known.
std::string in_function(const HostPlace& place) {
  return place.file.empty() && !place.function.empty() ? fmt::format(" in `{}`", place.function) : "";
}

/// What the program calls device memory, and the call that frees it.
struct KindOfMemory {
  const char* name;
  const char* release;
};

KindOfMemory kind_of(const SessionReport& program, const vgpu::Allocation& allocation) {
  const auto known = program.memory.find(allocation.start);
  const MemoryKind kind = known == program.memory.end() ? MemoryKind::device : known->second.kind;
  if (kind == MemoryKind::array) return {"CUDA array", "cudaFreeArray"};
  if (kind == MemoryKind::object)
    return {"texture or surface object", "cudaDestroyTextureObject or cudaDestroySurfaceObject"};
  return {"allocation", "cudaFree"};
}

/// "2 allocations and 1 CUDA array"
std::string counted_by_kind(const SessionReport& program, std::span<const vgpu::Allocation> lost) {
  std::vector<std::pair<std::string, std::size_t>> counts;
  for (const vgpu::Allocation& allocation : lost) {
    const std::string name = kind_of(program, allocation).name;
    const auto known =
        std::find_if(counts.begin(), counts.end(), [&](const auto& one) { return one.first == name; });
    if (known != counts.end()) {
      ++known->second;
    } else {
      counts.emplace_back(name, 1);
    }
  }
  std::vector<std::string> parts;
  for (const auto& [name, count] : counts) parts.push_back(counted(count, name));
  return fmt::format("{}", fmt::join(parts, " and "));
}

std::string described(const SessionReport& program, const vgpu::Allocation& allocation, std::size_t kept) {
  std::string text = fmt::format("{} {} ({} bytes)", kind_of(program, allocation).name,
                                 allocation.ordinal - kept, allocation.size_bytes);
  const auto known = program.memory.find(allocation.start);
  return known == program.memory.end() ? text : text + place_text(known->second.allocated);
}

/// A call whose arguments are always a mistake, whether or not the program checked the error.
Diagnostic refused_call(const ApiFailure& failure, const SourceReader& read) {
  Diagnostic problem;
  problem.code = "WG-H08";
  problem.what = fmt::format("{}{} failed with {}", cleaned(failure.call), in_function(failure.place),
                             error_name(failure.error));
  locate(problem, failure.place, read);
  problem.first = cleaned(failure.detail);
  problem.likely_cause = "a pointer, a size or the direction is not valid for the call";
  problem.next_step = "correct the call's arguments, and compare its return value with cudaSuccess";
  return problem;
}

bool is_same(const ApiFailure& a, const ApiFailure& b) {
  const bool is_placed = !a.place.file.empty();
  return a.call == b.call && a.error == b.error && a.is_ignored == b.is_ignored && a.place == b.place &&
         (is_placed || a.detail == b.detail);
}

/// The failures to report, with equal ones merged.
std::vector<Diagnostic> failed_calls(const SessionReport& program, const SourceReader& read) {
  constexpr std::size_t kMost = 8;
  std::vector<Diagnostic> reported;
  std::vector<const ApiFailure*> kinds;  // of `reported`
  for (const ApiFailure& failure : program.failures) {
    if (!failure.is_ignored && !failure.is_mistake) continue;
    const auto known = std::find_if(kinds.begin(), kinds.end(),
                                    [&](const ApiFailure* one) { return is_same(*one, failure); });
    if (known != kinds.end()) {
      ++reported[static_cast<std::size_t>(known - kinds.begin())].count;
    } else if (reported.size() < kMost) {
      reported.push_back(failure.is_ignored ? ignored_failure(failure, read) : refused_call(failure, read));
      kinds.push_back(&failure);
    }
  }
  return reported;
}

/// Lost memory of one kind that host and device share.
std::optional<Diagnostic> lost_host_memory(const SessionReport& program, MemoryKind kind,
                                           const SourceReader& read) {
  const bool is_managed = kind == MemoryKind::managed;
  std::size_t count = 0;
  std::uint64_t bytes = 0;
  const NamedMemory* first = nullptr;
  for (const auto& [start, memory] : program.memory) {
    if (!memory.is_lost || memory.kind != kind) continue;
    if (count++ == 0) first = &memory;
    bytes += memory.size_bytes;
  }
  if (first == nullptr) return std::nullopt;
  Diagnostic problem;
  problem.code = "WG-M09";
  problem.severity = Severity::warning;
  problem.what = fmt::format("the program ends with {} of {} memory not freed, {} bytes",
                             counted(count, "allocation"), is_managed ? "managed" : "pinned host", bytes);
  locate(problem, first->allocated, read);
  problem.first = fmt::format("{} bytes{}", first->size_bytes, place_text(first->allocated));
  problem.likely_cause =
      fmt::format("{} is missing, or an early return skips it", is_managed ? "cudaFree" : "cudaFreeHost");
  problem.next_step =
      is_managed ? "free memory from cudaMallocManaged with cudaFree, on every path to the end of the program"
                 : "free memory from cudaMallocHost or cudaHostAlloc with cudaFreeHost, on every path to the "
                   "end of the program";
  return problem;
}

/// A note: what the program does with the bytes is not known.
Diagnostic unwritten_copy(const UnwrittenCopy& copy, const SourceReader& read) {
  Diagnostic problem;
  problem.code = "WG-M07";
  problem.severity = Severity::note;
  problem.what = copy.bytes == copy.copied_bytes
                     ? "device memory that was never written is copied to the host"
                     : fmt::format("{} of {} bytes that are copied to the host were never written",
                                   copy.bytes, copy.copied_bytes);
  locate(problem, copy.place, read);
  problem.first = fmt::format("byte {} of allocation {} ({} bytes)", copy.first_byte, copy.allocation.ordinal,
                              copy.allocation.size_bytes);
  problem.count = copy.count;
  problem.likely_cause = "the kernels write only a part of the array, or another array";
  problem.next_step = "check that the program does not use these bytes, or call cudaMemset first";
  return problem;
}

}  // namespace

void locate(Diagnostic& problem, const HostPlace& place, const SourceReader& read) {
  locate(problem, place.file, place.line, read ? read(place.file) : SourceText{});
}

Diagnostic ignored_failure(const ApiFailure& failure, const SourceReader& read) {
  Diagnostic problem;
  problem.code = "WG-H13";
  problem.what = fmt::format("{}{} failed with {} and the program did not check the error",
                             cleaned(failure.call), in_function(failure.place), error_name(failure.error));
  locate(problem, failure.place, read);
  problem.first = cleaned(failure.detail);
  problem.likely_cause = "the call's return value is not compared with cudaSuccess";
  problem.next_step = "check every call; after a launch call cudaGetLastError()";
  return problem;
}

Diagnostic device_pointer_on_host(const vgpu::cudart::HostCrash& crash, const SourceReader& read) {
  Diagnostic problem;
  problem.code = "WG-H14";
  problem.what = fmt::format("host code used device memory{}", in_function(crash.place));
  locate(problem, crash.place, read);
  problem.first = crash.allocation ? fmt::format("byte {} of allocation {} ({} bytes)",
                                                 crash.address - crash.allocation->start,
                                                 crash.allocation->ordinal, crash.allocation->size_bytes)
                                   : vgpu::address_text(crash.address);
  problem.likely_cause = "a pointer from cudaMalloc is dereferenced outside a kernel";
  problem.next_step =
      "copy the data to the host with cudaMemcpy first, or allocate it with cudaMallocManaged";
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
                             counted_by_kind(program, lost), bytes);
  const auto first = program.memory.find(lost.front().start);
  if (first != program.memory.end()) locate(problem, first->second.allocated, read);
  problem.first = fmt::format("{}{}", fmt::join(shown, ", "), lost.size() > kShown ? ", …" : "");
  const KindOfMemory kind = kind_of(program, lost.front());
  problem.likely_cause = fmt::format("{} is missing, or an early return skips it", kind.release);
  problem.next_step =
      "free memory from cudaMalloc on every path to the end of the program (what a static variable keeps "
      "for later calls may stay, unless the task wants all memory freed); allocation 1 is the program's "
      "first";
  if (kind.name != std::string_view("allocation"))
    problem.next_step = fmt::format("call {} on every path to the end of the program", kind.release);
  return problem;
}

std::optional<Diagnostic> lost_kernel_memory(const SessionReport& program) {
  const auto& lost = program.kernel_allocations;
  if (lost.count == 0) return std::nullopt;
  Diagnostic problem;
  problem.code = "WG-M09";
  problem.severity = Severity::warning;
  problem.what = fmt::format("the program ends with {} by kernels not freed, {} bytes",
                             counted(lost.count, "allocation"), lost.bytes);
  problem.likely_cause = "a kernel calls malloc or new, and no kernel frees the memory";
  problem.next_step =
      "free the memory with free or delete in the same or a later kernel: cudaFree cannot free it";
  return problem;
}

std::vector<Diagnostic> diagnose_program(const SessionReport& program, const SourceReader& read) {
  std::vector<Diagnostic> found;
  for (const auto& race : program.stream_races) found.push_back(diagnose_stream_race(race, read));
  for (Diagnostic& failure : failed_calls(program, read)) found.push_back(std::move(failure));
  for (const UnwrittenCopy& copy : program.unwritten_copies) found.push_back(unwritten_copy(copy, read));
  if (program.host_crash) found.push_back(device_pointer_on_host(*program.host_crash, read));
  // After a crash, or a fault that made the device unusable, the program cannot free anything.
  if (!program.has_ended) return found;
  if (auto leak = leaked_memory(program, 0, read)) found.push_back(*std::move(leak));
  for (const MemoryKind kind : {MemoryKind::managed, MemoryKind::pinned})
    if (auto leak = lost_host_memory(program, kind, read)) found.push_back(*std::move(leak));
  if (auto leak = lost_kernel_memory(program)) found.push_back(*std::move(leak));
  return found;
}

}  // namespace grader
