#include "judge/block_order.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "judge/source_hints.hpp"
#include "judge/wording.hpp"

namespace grader {

namespace {

bool communicates(const vgpu::LaunchRecord& launch) {
  return launch.grid.count() > 1 && (launch.counters.global_atomics.requests > 0 || launch.has_system_scope);
}

// Operations that a program can build others of come first.
constexpr std::array kBuildingBlocks{"atomicCAS", "atomicExch"};
constexpr std::array kAtomics{"atomicAdd",  "atomicInc", "atomicDec", "atomicSub", "atomicCAS",
                              "atomicExch", "atomicMax", "atomicMin", "atomicOr",  "atomicAnd"};

/// The first line with one of these names, in a kernel of the run whose blocks communicate if it contains
/// any.
std::optional<std::uint32_t> first_line_with(std::span<const char* const> names, const SourceText& source,
                                             const CaseRun& run) {
  const auto first_of = [&](const auto& line_of) {
    std::optional<std::uint32_t> first;
    for (const char* name : names)
      if (const auto line = line_of(name); line && (!first || *line < *first)) first = line;
    return first;
  };
  for (const vgpu::LaunchRecord& launch : run.session.launches) {
    if (!communicates(launch)) continue;
    const std::string kernel = kernel_name(launch.kernel);
    if (const auto line = first_of([&](const char* name) { return use_in(source, kernel, name); }))
      return line;
  }
  return first_of([&](const char* name) { return first_use(source, name); });
}

}  // namespace

bool can_depend_on_block_order(const CaseRun& run) {
  constexpr std::uint64_t kMostInstructions = std::uint64_t{1} << 20U;  // of warps
  const auto& launches = run.session.launches;
  return run.session.total_counters.warp_instructions <= kMostInstructions &&
         std::any_of(launches.begin(), launches.end(), communicates);
}

Diagnostic depends_on_block_order(const SourceText& source, const CaseRun& run) {
  Diagnostic problem;
  problem.code = "WG-R04";
  problem.what = "the result depends on the order in which blocks run";
  if (const auto line = first_line_with(kAtomics, source, run)) locate(problem, source.name, *line, source);
  problem.first =
      "the result is right if blocks run in the order of their numbers, and wrong in the opposite order";
  problem.likely_cause =
      "the program relies on which block comes first or last: it takes the block with the last number for "
      "the last one to finish, stores results at places that a counter gives out, or asks once (`if`) where "
      "it should wait in a loop";
  problem.next_step =
      "let the value that the atomic operation returns decide which block is the last one, and compute the "
      "place of a result from the block's number";
  return problem;
}

Diagnostic depends_on_block_turns(const SourceText& source, const CaseRun& run) {
  Diagnostic problem;
  problem.code = "WG-R04";
  problem.what = "the result depends on what other threads do between two steps of an update";
  auto line = first_line_with(kBuildingBlocks, source, run);
  if (!line) line = first_line_with(kAtomics, source, run);
  if (!line) line = first_use(source, "volatile");
  if (line) locate(problem, source.name, *line, source);
  problem.first =
      "the result is right if one block runs after the other, and wrong if blocks take turns before each "
      "atomic "
      "operation and each volatile store";
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
