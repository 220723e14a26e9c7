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

// Operations that a program can build others of come first.
constexpr std::array kBuildingBlocks{"atomicCAS", "atomicExch"};
constexpr std::array kAtomics{"atomicAdd",  "atomicInc", "atomicDec", "atomicSub", "atomicCAS",
                              "atomicExch", "atomicMax", "atomicMin", "atomicOr",  "atomicAnd"};

/// The first line with one of these names.
std::optional<std::uint32_t> first_line_with(std::span<const char* const> names, const SourceText& source) {
  std::optional<std::uint32_t> first;
  for (const char* name : names)
    if (const auto line = first_use(source, name); line && (!first || *line < *first)) first = line;
  return first;
}

}  // namespace

bool can_depend_on_block_order(const CaseRun& run) {
  constexpr std::uint64_t kMostInstructions = std::uint64_t{1} << 20U;  // of warps
  const auto& launches = run.session.launches;
  return run.session.total_counters.warp_instructions <= kMostInstructions &&
         std::any_of(launches.begin(), launches.end(), [](const vgpu::LaunchRecord& launch) {
           const bool communicates = launch.counters.global_atomics.requests > 0 || launch.has_system_scope;
           return launch.grid.count() > 1 && communicates;
         });
}

Diagnostic depends_on_block_order(const SourceText& source) {
  Diagnostic problem;
  problem.code = "WG-R04";
  problem.what = "the result depends on the order in which blocks run";
  if (const auto line = first_line_with(kAtomics, source)) locate(problem, source.name, *line, source);
  problem.first =
      "the result is right if blocks run in the order of their numbers, and wrong in the opposite order";
  problem.likely_cause =
      "the program relies on which block comes first or last: it takes the block with the last number for "
      "the last one to finish, or stores results at places that a counter gives out";
  problem.next_step =
      "let the value that the atomic operation returns decide which block is the last one, and compute the "
      "place of a result from the block's number";
  return problem;
}

Diagnostic depends_on_block_turns(const SourceText& source) {
  Diagnostic problem;
  problem.code = "WG-R04";
  problem.what = "the result depends on what other threads do between two steps of an update";
  auto line = first_line_with(kBuildingBlocks, source);
  if (!line) line = first_line_with(kAtomics, source);
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
