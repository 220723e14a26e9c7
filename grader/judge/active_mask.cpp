#include "judge/active_mask.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "judge/source_hints.hpp"
#include "judge/wording.hpp"

namespace grader {

std::optional<Diagnostic> warn_of_active_mask(const CaseRun& run, const SourceText& source) {
  const auto line = first_use(source, "__activemask");
  const auto& launches = run.session.launches;
  if (!line || std::none_of(launches.begin(), launches.end(), [&](const vgpu::LaunchRecord& launch) {
        return std::any_of(launch.lines.begin(), launch.lines.end(),
                           [&](const vgpu::LineCounters& one) { return one.line == *line; });
      }))
    return std::nullopt;
  Diagnostic warning = diagnose(
      "WG-B03", "`__activemask()` names the lanes that run together by chance",
      "compute the mask from the data with __ballot_sync(0xffffffff, condition) before the branch, or "
      "let all 32 lanes take part");
  warning.severity = Severity::warning;
  warning.likely_cause =
      "after a branch or a loop, a GPU does not have to run all lanes of the warp together again, so on some "
      "GPUs the mask lacks lanes";
  locate(warning, source.name, *line, source);
  return warning;
}

std::optional<Diagnostic> use_of_active_mask(const CaseRun& run, const SourceText& source) {
  if (auto warning = warn_of_active_mask(run, source)) return warning;
  const auto line = first_use(source, "coalesced_threads");
  if (!line || run.session.launches.empty()) return std::nullopt;
  Diagnostic use = diagnose("WG-B03", "",
                            "make the group from the data: tiled_partition<32>(this_thread_block()) "
                            "before the branch, and a vote for the condition");
  use.likely_cause =
      "coalesced_threads() is the group of the lanes that run together by chance, as those that "
      "__activemask() names; they add up in one lane, but have no fixed numbers";
  locate(use, source.name, *line, source);
  return use;
}

Diagnostic depends_on_active_mask(Diagnostic warning) {
  warning.severity = Severity::error;
  warning.what =
      fmt::format("the result depends on the lanes that `{}` names, and these run together by chance",
                  warning.what.empty() ? "coalesced_threads()" : "__activemask()");
  warning.first =
      "the result is wrong if two halves of the lanes run separately: 0, 3, 5, 6, 9, … and 1, 2, 4, 7, 8, …";
  return warning;
}

}  // namespace grader
