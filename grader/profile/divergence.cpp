#include "profile/divergence.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "judge/wording.hpp"
#include "report/numbers.hpp"

namespace grader {
namespace {

using vgpu::RecordedPath;
using vgpu::RecordedStep;

bool diverges(const RecordedStep& step) { return step.active != step.live; }

std::string source_of(const KernelFacts& kernel, const RecordedPath& path, const RecordedStep& step) {
  for (const LineFacts& line : kernel.lines)
    if (line.line == step.line && step.file < path.files.size() && line.file == path.files[step.file])
      return line.source;
  return "";
}

std::string marks_of(const RecordedStep& step, const Terminal& terminal) {
  std::string marks;
  for (int lane = 0; lane < 32; ++lane) {
    const bool active = (step.active >> lane & 1U) != 0, live = (step.live >> lane & 1U) != 0;
    const char* mark = active ? (terminal.unicode ? "█" : "#") : live ? (terminal.unicode ? "·" : ".") : " ";
    marks += mark;
  }
  return marks;
}

/// The groups to show: at most kTextSteps rows, from shortly before the first divergence.
std::pair<std::size_t, std::size_t> window_of(const std::vector<StepGroup>& groups,
                                              const std::vector<RecordedStep>& steps) {
  const auto has_divergence = [&](const StepGroup& group) {
    const auto first = steps.begin() + static_cast<std::ptrdiff_t>(group.first);
    return std::any_of(first, first + static_cast<std::ptrdiff_t>(group.count), diverges);
  };
  const auto found = std::find_if(groups.begin(), groups.end(), has_divergence);
  const auto at = found == groups.end() ? 0 : static_cast<std::size_t>(found - groups.begin());
  const std::size_t begin = at > 2 ? at - 2 : 0;
  std::size_t end = begin, rows = 0;
  while (end < groups.size() && (rows == 0 || rows + groups[end].count <= kTextSteps))
    rows += groups[end++].count;
  return {begin, end};
}

std::string row_of(const KernelFacts& kernel, const RecordedPath& path, const RecordedStep& step,
                   const std::string& times, const Terminal& terminal) {
  std::string row = fmt::format("  {:>5} ", step.line == 0 ? "-" : std::to_string(step.line)) +
                    marks_of(step, terminal) + fmt::format(" {:>2} {:>5}", std::popcount(step.active), times);
  const std::string source = printable(source_of(kernel, path, step), terminal.unicode);
  const std::size_t start = std::min(source.find_first_not_of(' '), source.size());
  constexpr std::size_t kLeast = 20;  // a shorter piece of source is of no use
  if (terminal.width >= columns(row) + kLeast)
    row += "  " + cut(source.substr(start), terminal.width - columns(row) - 2, terminal);
  row.erase(row.find_last_not_of(' ') + 1);
  return row + "\n";
}

}  // namespace

std::vector<StepGroup> folded(const std::vector<RecordedStep>& steps) {
  std::vector<StepGroup> groups;
  for (std::size_t i = 0; i < steps.size();) {
    StepGroup best{i, 1, 1};
    for (std::size_t period = 1; period <= kMaxPeriod && i + 2 * period <= steps.size(); ++period) {
      std::size_t times = 1;
      const auto begin = steps.begin() + static_cast<std::ptrdiff_t>(i);
      const auto length = static_cast<std::ptrdiff_t>(period);
      while (i + (times + 1) * period <= steps.size() &&
             std::equal(begin, begin + length, begin + static_cast<std::ptrdiff_t>(times) * length))
        ++times;
      if (times > 1 && times * period > best.times * best.count) best = {i, period, times};
    }
    groups.push_back(best);
    i += best.count * best.times;
  }
  return groups;
}

LaneUse lane_use(const RecordedPath& path) {
  LaneUse use;
  for (const RecordedStep& step : path.steps) {
    const auto active = static_cast<unsigned>(std::popcount(step.active));
    const auto live = static_cast<unsigned>(std::popcount(step.live));
    use.active += std::uint64_t{step.instructions} * active;
    use.waiting += std::uint64_t{step.instructions} * (live - active);
    use.ended += std::uint64_t{step.instructions} * (32 - live);
  }
  return use;
}

std::string warp_place(const vgpu::Dim3& block, std::uint32_t warp) {
  return fmt::format("block {}, warp {}", dimensions(block), warp);
}

std::string divergence_text(const KernelFacts& kernel, const Terminal& terminal) {
  if (!kernel.longest.recording || kernel.longest.recording->path.steps.empty()) return {};
  const RecordedPath& path = kernel.longest.recording->path;
  const LaneUse use = lane_use(path);
  std::string text = fmt::format("Lanes of {} at each step: ", warp_place(path.block, path.warp));
  text += path.waiting == 0 ? "none waits for others"
                            : fmt::format("{} of its lane slots wait for other lanes",
                                          percent_text(static_cast<double>(use.waiting) /
                                                       static_cast<double>(use.active + use.waiting)));
  std::string result;
  for (const std::string& line : wrap(text, terminal.width)) result += line + "\n";
  if (path.waiting == 0) return result;
  result += fmt::format("  {:>5} {:<32} {:>2} {:>5}\n", "line", "lanes 0 to 31", "on", "times");
  const auto groups = folded(path.steps);
  const auto [begin, end] = window_of(groups, path.steps);
  if (begin > 0) result += fmt::format("  ({} before)\n", counted(groups[begin].first, "step"));
  for (std::size_t i = begin; i < end; ++i) {
    const StepGroup& group = groups[i];
    for (std::size_t k = 0; k < group.count; ++k) {
      const std::string mark = terminal.unicode ? "×" : "x";
      const std::string times = group.times == 1 ? "" : (k == 0 ? mark + std::to_string(group.times) : "|");
      result += row_of(kernel, path, path.steps[group.first + k], times, terminal);
    }
  }
  if (end < groups.size())
    result +=
        fmt::format("  ({} after)\n", counted(path.steps.size() - groups[end].first + path.left_out, "step"));
  const std::string legend = terminal.unicode ? "█ executes, · waits for other lanes, blank: ended"
                                              : "# executes, . waits for other lanes, blank: ended";
  for (const std::string& line : wrap(legend, terminal.width)) result += line + "\n";
  return result;
}

}  // namespace grader
