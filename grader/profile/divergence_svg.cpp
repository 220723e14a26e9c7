#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "profile/divergence.hpp"
#include "profile/svg.hpp"
#include "report/numbers.hpp"

namespace grader {
namespace {

// Pixels.
constexpr double kStepWidth = 16, kStepHeight = 14, kStepsLeft = 70, kStepsTop = 84, kLegendTop = 36;
constexpr double kStepNotes = 64, kStepSource = 420;
constexpr std::size_t kMostSteps = 240;
constexpr std::size_t kSourceCharacters = 68;

std::string source_of(const KernelFacts& kernel, const std::string& file, std::uint32_t line) {
  const auto found = std::find_if(kernel.lines.begin(), kernel.lines.end(),
                                  [&](const LineFacts& one) { return one.line == line && one.file == file; });
  if (found == kernel.lines.end()) return "";
  const std::string source = printable(found->source);
  const std::size_t start = std::min(source.find_first_not_of(' '), source.size());
  return cut(source.substr(start), kSourceCharacters, Terminal{});
}

void draw_step(Svg& svg, const vgpu::RecordedStep& step, double y) {
  for (int lane = 0; lane < 32; ++lane) {
    const bool active = (step.active >> lane & 1U) != 0, live = (step.live >> lane & 1U) != 0;
    svg.rect(kStepsLeft + lane * kStepWidth, y, kStepWidth - 1, kStepHeight - 1,
             active ? "on"
             : live ? "wait"
                    : "gone");
  }
}

void draw_legend(Svg& svg, double y) {
  double x = kStepsLeft;
  for (const auto& [style, meaning] :
       {std::pair{"on", "executes"}, {"wait", "waits for other lanes"}, {"gone", "ended"}}) {
    svg.rect(x, y, 14, 12, style);
    svg.text(x + 20, y + 11, meaning, "text");
    x += 170;
  }
}

}  // namespace

std::string divergence_svg(const KernelFacts& kernel) {
  if (!kernel.longest.recording || kernel.longest.recording->path.steps.empty()) return {};
  const vgpu::RecordedPath& path = kernel.longest.recording->path;
  const auto groups = folded(path.steps);
  std::size_t rows = 0;
  for (const StepGroup& group : groups) rows += group.count;
  const std::size_t shown = std::min(rows, kMostSteps);
  const double width = kStepsLeft + 32 * kStepWidth + kStepNotes + kStepSource;
  const double height = kStepsTop + static_cast<double>(shown) * kStepHeight + 28;
  const LaneUse use = lane_use(path);
  const std::string title =
      fmt::format("Lanes of {} at each step: {} of its lane slots wait", warp_place(path.block, path.warp),
                  percent_text(static_cast<double>(use.waiting) /
                               static_cast<double>(std::max<std::uint64_t>(use.active + use.waiting, 1))));
  Svg svg(width, height, title);
  svg.text(10, 24, title, "text title");
  draw_legend(svg, kLegendTop);
  svg.text(kStepsLeft - 8, kStepsTop - 8, "line", "faint", Svg::Anchor::end);
  svg.text(kStepsLeft, kStepsTop - 8, "lane 0", "faint");
  svg.text(kStepsLeft + 32 * kStepWidth, kStepsTop - 8, "31", "faint", Svg::Anchor::end);
  std::size_t row = 0;
  for (const StepGroup& group : groups) {
    for (std::size_t k = 0; k < group.count && row < shown; ++k, ++row) {
      const vgpu::RecordedStep& step = path.steps[group.first + k];
      const double y = kStepsTop + static_cast<double>(row) * kStepHeight;
      const std::string file = step.file < path.files.size() ? path.files[step.file] : "";
      svg.text(kStepsLeft - 8, y + 11, step.line == 0 ? "-" : std::to_string(step.line), "text small",
               Svg::Anchor::end);
      draw_step(svg, step, y);
      if (group.times > 1)
        svg.text(kStepsLeft + 32 * kStepWidth + 8, y + 11, k == 0 ? fmt::format("× {}", group.times) : "│",
                 "faint small");
      svg.text(kStepsLeft + 32 * kStepWidth + kStepNotes, y + 11, source_of(kernel, file, step.line),
               "text small mono");
    }
  }
  if (rows > shown || path.left_out > 0)
    svg.text(kStepsLeft, height - 8, "later steps are left out", "faint");
  return svg.document();
}

}  // namespace grader
