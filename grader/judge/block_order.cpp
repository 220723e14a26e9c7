#include "judge/block_order.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "judge/code_text.hpp"
#include "judge/source_hints.hpp"
#include "judge/wording.hpp"

namespace grader {

namespace {

bool has_several_warps(const vgpu::LaunchRecord& launch) { return launch.block.count() > vgpu::kWarpLanes; }

/// Whether blocks, or warps of a block, can communicate without a barrier.
bool communicates(const vgpu::LaunchRecord& launch) {
  const vgpu::Counters& counters = launch.counters;
  const bool is_global = counters.global_atomics.requests > 0 || launch.has_system_scope;
  return (launch.grid.count() > 1 && is_global) ||
         (has_several_warps(launch) && (is_global || counters.shared_atomics.requests > 0));
}

// Operations that a program can build others of come first.
constexpr std::array kBuildingBlocks{"atomicCAS", "atomicExch"};
constexpr std::array kAtomics{"atomicAdd",  "atomicInc", "atomicDec", "atomicSub", "atomicCAS",
                              "atomicExch", "atomicMax", "atomicMin", "atomicOr",  "atomicAnd"};

/// Whether a launch whose blocks communicate ran the line. True if no launch has counts by lines.
bool has_run(const CaseRun& run, std::uint32_t line) {
  bool has_counts = false;
  for (const vgpu::LaunchRecord& launch : run.session.launches) {
    if (!communicates(launch)) continue;
    has_counts |= !launch.lines.empty();
    if (std::any_of(launch.lines.begin(), launch.lines.end(),
                    [&](const vgpu::LineCounters& one) { return one.line == line; }))
      return true;
  }
  return !has_counts;
}

/// The first line with one of these names, in a kernel of the run whose blocks communicate if it contains
/// any; otherwise in a function that such a kernel calls.
std::optional<std::uint32_t> first_line_with(std::span<const char* const> names, const SourceText& source,
                                             const CaseRun& run) {
  for (const vgpu::LaunchRecord& launch : run.session.launches) {
    if (!communicates(launch)) continue;
    std::optional<std::uint32_t> first;
    for (const char* name : names)
      if (const auto line = use_in(source, kernel_name(launch.kernel), name);
          line && (!first || *line < *first))
        first = line;
    if (first) return first;
  }
  for (std::uint32_t line = 1; line <= source.lines.size(); ++line) {
    const std::string_view code = code_of(source.lines[line - 1]);
    const auto is_here = [&](const char* name) { return contains_word(code, name); };
    if (std::any_of(names.begin(), names.end(), is_here) && has_run(run, line)) return line;
  }
  return std::nullopt;
}

}  // namespace

bool can_depend_on_order(const CaseRun& run) {
  constexpr std::uint64_t kMostInstructions = std::uint64_t{1} << 20U;  // of warps
  // If each block waits for the one before it, the time grows with the square of their number.
  constexpr std::uint64_t kMostBlocks = 256;
  const auto& launches = run.session.launches;
  return run.session.total_counters.warp_instructions <= kMostInstructions &&
         std::any_of(launches.begin(), launches.end(), communicates) &&
         std::all_of(launches.begin(), launches.end(),
                     [](const vgpu::LaunchRecord& launch) { return launch.grid.count() <= kMostBlocks; });
}

bool waits_in_vain(const CaseRun& run) {
  const auto is_in_vain = [](const vgpu::Fault& fault) { return fault.detail == vgpu::kWaitsInVain; };
  return std::any_of(run.session.launches.begin(), run.session.launches.end(),
                     [&](const vgpu::LaunchRecord& launch) {
                       return std::any_of(launch.faults.begin(), launch.faults.end(), is_in_vain);
                     });
}

bool has_waiting_blocks(const CaseRun& run) {
  return waits_in_vain(run) ||
         std::any_of(run.session.launches.begin(), run.session.launches.end(),
                     [](const vgpu::LaunchRecord& launch) { return launch.blocks_wait; });
}

void add_order_of_start(Diagnostic& one, vgpu::Scaled order) {
  one.first += "; on a GPU that holds one block at a time";
  if (order == vgpu::Scaled::nothing) return;
  one.first += " and starts the one with the highest number first";
  one.next_step +=
      ". A block may wait for those that started before it: then it takes its number from a counter "
      "(atomicAdd), not from blockIdx, since blocks start in any order";
}

Diagnostic depends_on_order(const SourceText& source, const CaseRun& run) {
  Diagnostic problem;
  problem.code = "WG-R04";
  const bool is_of_blocks =
      std::any_of(run.session.launches.begin(), run.session.launches.end(),
                  [](const auto& one) { return communicates(one) && one.grid.count() > 1; });
  const char* const what = is_of_blocks ? "blocks and their warps" : "the warps of a block";
  problem.what = fmt::format("the result depends on the order in which {} run", what);
  if (const auto line = first_line_with(kAtomics, source, run)) locate(problem, source.name, *line, source);
  problem.first = fmt::format(
      "the result is right if {} run in the order of their numbers, and wrong in the opposite order", what);
  problem.likely_cause =
      "the program relies on which block or warp comes first or last: one sets a value that the others use "
      "without a barrier or a launch between, the last number is taken for the last one to finish, results "
      "have places that a counter gives out, or it asks once (`if`) where it should wait";
  problem.next_step =
      "set values before the launch, or before a __syncthreads() in the block; let the value that the atomic "
      "operation returns decide which block is the last one; compute the place of a result from the block's "
      "number";
  return problem;
}

Diagnostic depends_on_turns(const SourceText& source, const CaseRun& run) {
  Diagnostic problem;
  problem.code = "WG-R04";
  problem.what = "the result depends on what other threads do between two steps of an update";
  auto line = first_line_with(kBuildingBlocks, source, run);
  if (!line) line = first_line_with(kAtomics, source, run);
  if (!line) line = first_line_with(std::array{"volatile"}, source, run);
  if (line) locate(problem, source.name, *line, source);
  problem.first =
      "the result is right if one block or warp runs after the other, and wrong if they take turns before "
      "each "
      "atomic operation and store to volatile memory";
  problem.likely_cause =
      "a thread reads a value, and stores the new one in a second step, while another thread changes it in "
      "between: one of the two updates is lost. Or the value that atomicCAS returns is ignored, although it "
      "shows whether the exchange took place";
  problem.next_step =
      "use one atomic operation for the whole update (atomicAdd, atomicMax), or repeat atomicCAS until it "
      "returns the value that was expected";
  return problem;
}

}  // namespace grader
