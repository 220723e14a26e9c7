#include "judge/case_findings.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "judge/active_mask.hpp"
#include "judge/arrays.hpp"
#include "judge/failed_calls.hpp"
#include "judge/findings.hpp"
#include "judge/index_mistakes.hpp"
#include "judge/program.hpp"
#include "judge/shared_faults.hpp"
#include "judge/source_hints.hpp"
#include "judge/streams.hpp"
#include "judge/supply.hpp"
#include "judge/unfilled_arrays.hpp"
#include "judge/visible_mistakes.hpp"
#include "judge/wording.hpp"
#include "vgpu/facts/findings.hpp"

namespace grader {
namespace {

/// Removes a place that is not a line of the student's file: the program reports places itself, unverified.
void keep_own_place(Diagnostic& diagnostic) {
  if (diagnostic.source_line.empty()) diagnostic.where.reset();
}

/// Device memory that the submission did not free, without the first `kept` allocations.
std::optional<Diagnostic> diagnose_leak(const CaseRun& run, std::size_t kept, const SourceText& source) {
  auto leak = leaked_memory(run.session, kept, [&](const auto&) { return source; });
  if (!leak) return leak;
  keep_own_place(*leak);
  // The caller of the function does not run the destructors of static objects.
  leak->likely_cause =
      "cudaFree is missing, an early return skips it, or it is called only after the function has returned: "
      "in a later call, or by the destructor of a static object";
  return leak;
}

/// The kernel reads device memory that was never written, and a copy to the device has only the size of a
/// pointer, although an array has many elements.
bool lacks_most_of_a_copy(const vgpu::Fault& finding, const CaseRun& run, const harness::Job& job) {
  constexpr std::size_t kFewElements = 8;  // of one or two, a right copy has 8 bytes, too
  const bool has_many = std::any_of(job.inputs.begin(), job.inputs.end(), [](const harness::Input& input) {
    return element_count(input.shape) > kFewElements;
  });
  return has_many && finding.kind == vgpu::FaultKind::uninitialised_read &&
         finding.space != vgpu::ptx::Space::shared && finding.nearest &&
         finding.nearest->size_bytes > sizeof(void*) &&
         copies_pointer_size(run, vgpu::OperationKind::copy_to_device);
}

void name_pointer_size(Diagnostic& unwritten) {
  unwritten.likely_cause =
      "a copy to the device has 8 bytes, the size of a pointer: sizeof(pointer) is not the size of the array";
  unwritten.next_step = "copy the number of elements times the size of an element: n * sizeof(float)";
}

/// The kernel of a later launch that stores to the memory that was read before it was written, or "". Not if
/// parts of the memory were written: then it is more likely that these are too small.
std::string later_writer(const vgpu::Fault& finding, const CaseRun& run) {
  if (finding.kind != vgpu::FaultKind::uninitialised_read || finding.space == vgpu::ptx::Space::shared ||
      !finding.nearest || finding.written_bytes > 0)
    return "";
  const auto& launches = run.session.launches;
  auto launch = std::find_if(launches.begin(), launches.end(), [&](const vgpu::LaunchRecord& one) {
    return one.kernel == finding.kernel && !one.findings.empty();
  });
  const auto stores_there = [&](const vgpu::MemoryAccess& one) {
    // An atomic needs an initial value itself.
    return one.is_write && !one.is_atomic &&
           one.start < finding.nearest->start + finding.nearest->size_bytes &&
           one.end() > finding.nearest->start;
  };
  for (; launch != launches.end(); ++launch)
    if (launch->kernel != finding.kernel &&
        std::any_of(launch->accesses.begin(), launch->accesses.end(), stores_there))
      return kernel_name(launch->kernel);
  return "";
}

void name_later_writer(Diagnostic& unwritten, const std::string& kernel) {
  unwritten.likely_cause =
      fmt::format("`{}`, which writes the array, is launched only after the kernel that reads it", kernel);
  unwritten.next_step = fmt::format("launch `{}` first", kernel);
}

bool is_global_race(const vgpu::Fault& finding) { return finding.kind == vgpu::FaultKind::global_race; }

/// Unless threads that return early explain it (describe_unwritten).
void name_unfilled_part(const vgpu::Fault& finding, const CaseRun& run, const SourceText& source,
                        Diagnostic& diagnostic) {
  if (return_before_barrier(source, finding.file, finding.source.line, kernel_name(finding.kernel))) return;
  const auto& launches = run.session.launches;
  const auto launch = std::find_if(launches.begin(), launches.end(),
                                   [&](const auto& one) { return one.kernel == finding.kernel; });
  if (launch == launches.end()) return;
  if (auto part = unfilled_part(finding, *launch, source)) advise(diagnostic, *std::move(part));
}

/// A mistake in the file's text can be why a kernel does not fill its shared memory, such as a launch with
/// too few threads, or why two blocks store the same elements.
void name_visible_mistake(const vgpu::Fault& finding, const CaseRun& run, const harness::Job& job,
                          const SourceText& source, Diagnostic& diagnostic) {
  if (finding.kind == vgpu::FaultKind::array_overflow)
    for (const vgpu::LaunchRecord& launch : run.session.launches)
      if (launch.kernel == finding.kernel)
        return explain_shared_fault(launch, finding, source, job.entry, diagnostic);
  const bool is_unwritten = finding.kind == vgpu::FaultKind::uninitialised_read && !finding.is_harmless;
  const bool is_unfilled = is_unwritten && finding.space == vgpu::ptx::Space::shared;
  if (is_unwritten && !is_unfilled) {
    if (auto mistake = certain_mistake(source, run.session.launches, job.entry))
      advise(diagnostic, *std::move(mistake));
    return;
  }
  if (is_global_race(finding) && finding.is_store && finding.other->is_store)
    for (const vgpu::LaunchRecord& launch : run.session.launches)
      if (auto mistake =
              launch.kernel == finding.kernel ? mistake_of_shared_element(finding, launch) : std::nullopt)
        return advise(diagnostic, *std::move(mistake));
  // Two blocks do the same work: the same line stores, and often reads, the element.
  const bool is_done_twice =
      is_global_race(finding) && finding.other && finding.other->source == finding.source;
  if (!is_unfilled && !is_done_twice) return;
  if (auto mistake = mistake_of_indices(source, run.session.launches, job.entry)) {
    advise(diagnostic, *std::move(mistake));
  } else if (is_unfilled) {
    name_unfilled_part(finding, run, source, diagnostic);
  }
}

/// Blocks of a kernel that uses atomic operations race, but those of its first launch in the process did not:
/// something that the kernel relies on was different at its start.
bool raced_only_later(const vgpu::Fault& race, const CaseRun& run, const SourceText& source) {
  // Another cause is known: describe_global_race() in findings.cpp.
  const bool is_of_block = race.instruction.find(".cta") != std::string::npos ||
                           first_use(source, "__threadfence_block").has_value();
  if (is_of_block || !is_global_race(race) || race.block == race.other->block ||
      race.is_store == race.other->is_store)
    return false;
  const auto& launches = run.session.launches;
  const auto first = std::find_if(launches.begin(), launches.end(),
                                  [&](const auto& launch) { return launch.kernel == race.kernel; });
  return first != launches.end() && first->counters.global_atomics.requests > 0 &&
         std::none_of(first->findings.begin(), first->findings.end(), is_global_race);
}

void name_kept_counter(Diagnostic& race) {
  race.likely_cause =
      "a counter or flag by which blocks find out that others have finished (a __device__ variable, for "
      "instance) still has its value from an earlier launch: the first launch of this kernel has no such "
      "race; or one block relies on data that another block writes during the same launch";
  race.next_step =
      "set the counter to 0 before each launch (cudaMemset, cudaMemcpyToSymbol), or let the last block do so "
      "at its end";
}

/// The name of the output in device memory that contains the address, or "".
std::string output_at(std::uint64_t address, const CaseRun& run, const harness::Job& job) {
  for (std::size_t i = 0; i < std::min(job.outputs.size(), run.answer.addresses.size()); ++i) {
    const std::uint64_t start = run.answer.addresses[i];
    if (start != 0 && address >= start && address - start < 4 * element_count(job.outputs[i].shape))
      return job.outputs[i].name;
  }
  return "";
}

/// Streams, events, graphs and memory pools beyond `kept` that the program did not destroy. `entry`: the
/// function that was called.
std::optional<Diagnostic> leaked_handles(const vgpu::cudart::SessionReport& session,
                                         const vgpu::cudart::LiveObjects& kept, const SourceText& source,
                                         std::string_view entry) {
  using vgpu::cudart::LiveObjects;
  struct Kind {
    std::uint64_t LiveObjects::*count;
    const char *noun, *create, *destroy;
  };
  constexpr std::array kKinds = {
      Kind{&LiveObjects::streams, "stream", "cudaStreamCreate", "cudaStreamDestroy"},
      Kind{&LiveObjects::events, "event", "cudaEventCreate", "cudaEventDestroy"},
      Kind{&LiveObjects::graphs, "graph", "cudaStreamEndCapture", "cudaGraphDestroy"},
      Kind{&LiveObjects::executable_graphs, "executable graph", "cudaGraphInstantiate",
           "cudaGraphExecDestroy"},
      Kind{&LiveObjects::memory_pools, "memory pool", "cudaMemPoolCreate", "cudaMemPoolDestroy"}};
  const Kind* first = nullptr;
  std::vector<std::string> left, destroyers;
  for (const Kind& one : kKinds) {
    const std::uint64_t count = session.live.*one.count;
    if (count <= kept.*one.count) continue;
    if (first == nullptr) first = &one;
    left.push_back(counted(count, one.noun));
    destroyers.emplace_back(one.destroy);
  }
  if (first == nullptr) return std::nullopt;
  const std::string last = left.back();
  left.pop_back();
  const std::string what = left.empty() ? last : fmt::format("{} and {}", fmt::join(left, ", "), last);
  Diagnostic leak = diagnose(
      "WG-M09", "the program ends with " + what + " not destroyed",
      fmt::format("call {} on every path to the end of the function", fmt::join(destroyers, " and ")));
  leak.likely_cause =
      fmt::format("{} is missing, or a condition or an early return skips it", fmt::join(destroyers, " or "));
  const auto only = only_call(source, first->create, entry);
  if (const auto line = only ? only : first_call(source, first->create, entry)) {
    locate(leak, source.name, *line, source);
    leak.first =
        only ? "created by this line" : fmt::format("the first of several lines that call {}", first->create);
  }
  return leak;
}

/// Of device memory that the last call adds to that of the calls before it.
void explain_growth(Diagnostic& lost, const SourceText& source, std::string_view entry) {
  if (!lost.where)
    if (const auto line = only_call(source, "cudaMalloc", entry)) locate(lost, source.name, *line, source);
  lost.first = "allocated in the last call";
  lost.likely_cause = "each call allocates memory again, although that of the call before it is not freed";
  lost.next_step =
      "call cudaFree before the function returns, or keep the memory in a static variable and allocate it "
      "only "
      "if there is none";
}

/// The checked call has the function and the sizes of the call before it.
bool repeats_call_before(const harness::Job& job) {
  const harness::EarlierCall& before = job.earlier.back();
  return harness::function_of(before, job) == job.entry && before.scalars == job.scalars;
}

}  // namespace

CaseFindings findings_of(const CaseRun& run, const harness::Job& job, const SourceText& source) {
  std::vector<vgpu::Fault> folded;
  for (const vgpu::LaunchRecord& launch : run.session.launches) vgpu::fold_findings(folded, launch.findings);
  vgpu::drop_explained(folded);
  std::stable_sort(folded.begin(), folded.end(),
                   [](const vgpu::Fault& a, const vgpu::Fault& b) { return a.kind < b.kind; });
  // The harness never frees its own arrays.
  CaseFindings found{.calls = diagnose_calls(run, source),
                     .leak = diagnose_leak(run, harness_allocations(job), source)};
  advise_on_refusal(found.calls, run, job, source);
  for (const vgpu::Fault& finding : folded) {
    found.is_decisive |= is_decisive(finding, job);
    found.diagnostics.push_back(diagnose_finding(finding, job, source, run.session.memory));
    if (lacks_most_of_a_copy(finding, run, job)) name_pointer_size(found.diagnostics.back());
    if (const std::string writer = later_writer(finding, run); !writer.empty())
      name_later_writer(found.diagnostics.back(), writer);
    name_visible_mistake(finding, run, job, source, found.diagnostics.back());
    if (raced_only_later(finding, run, source)) name_kept_counter(found.diagnostics.back());
  }
  if (auto warning = warn_of_active_mask(run, source)) found.diagnostics.push_back(*std::move(warning));
  for (const vgpu::cudart::StreamRace& race : run.session.stream_races) {
    found.is_decisive = true;
    found.diagnostics.push_back(diagnose_stream_race(
        race, [&](const auto&) { return source; }, output_at(race.address, run, job)));
    keep_own_place(found.diagnostics.back());
  }
  return found;
}

std::vector<Diagnostic> warnings_of(const CaseFindings& findings) {
  std::vector<Diagnostic> warnings;
  std::copy_if(findings.diagnostics.begin(), findings.diagnostics.end(), std::back_inserter(warnings),
               [](const Diagnostic& one) { return one.severity != Severity::error; });
  if (findings.leak) warnings.push_back(*findings.leak);
  return warnings;
}

std::optional<Diagnostic> lost_by_repeated_calls(const CaseFindings& findings, const CaseRun& run,
                                                 const harness::Job& job, const SourceText& source) {
  if (job.earlier.empty()) return std::nullopt;
  const std::vector<vgpu::cudart::CallStart>& calls = run.session.calls;
  std::optional<Diagnostic> lost;
  if (is_on_host(job)) {
    // Handles that the first call creates for all later ones are no leak.
    const auto kept = calls.size() > 1 ? calls[1].live : vgpu::cudart::LiveObjects{};
    lost = findings.leak ? findings.leak : leaked_handles(run.session, kept, source, job.entry);
  } else if (repeats_call_before(job) && calls.size() == job.earlier.size() + 1) {
    lost = diagnose_leak(run, calls.back().live_allocations, source);
    if (lost)
      explain_growth(*lost, source, job.entry);
    else
      lost = leaked_handles(run.session, calls.back().live, source, job.entry);
    if (!lost && run.session.kernel_allocations.count > calls.back().kernel_allocations)
      lost = lost_kernel_memory(run.session);
  }
  if (lost) lost->severity = Severity::error;
  return lost;
}

}  // namespace grader
