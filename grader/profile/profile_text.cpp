#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "profile/access_picture.hpp"
#include "profile/divergence.hpp"
#include "profile/line_ratios.hpp"
#include "profile/run_profile.hpp"
#include "profile/timeline_text.hpp"
#include "report/exactness.hpp"
#include "report/kernel_limits.hpp"
#include "report/numbers.hpp"
#include "vgpu/model/time.hpp"

namespace grader {
namespace {

constexpr std::size_t kMostKernels = 8;

std::string wrapped(const std::string& text, const Terminal& terminal, std::size_t indent = 0) {
  std::string block;
  for (const std::string& line : wrap(spelled(printable(text, terminal.unicode), terminal),
                                      terminal.width - std::min(indent, terminal.width)))
    block += std::string(indent, ' ') + line + "\n";
  return block;
}

std::string dimension(const vgpu::Dim3& extent) {
  std::string text = std::to_string(extent.x);
  if (extent.y * extent.z > 1) text += " × " + std::to_string(extent.y);
  if (extent.z > 1) text += " × " + std::to_string(extent.z);
  return text;
}

/// "1.5/1": cost and ideal per execution; "-" without executions.
std::string per_execution(const std::optional<PerRequest>& one) {
  if (!one) return "-";
  const auto rounded = [](double value) { return value_text(std::round(100 * value) / 100); };
  return rounded(one->cost) + "/" + rounded(one->ideal);
}

std::string line_cells(const std::string& place, const std::string& share, const std::string& lanes,
                       const std::string& sectors, const std::string& wavefronts,
                       const std::string& diverged) {
  return fmt::format("{:>6} {:>7} {:>6} {:>11} {:>11} {:>6}", place, share, lanes, sectors, wavefronts,
                     diverged);
}

std::string source_of(const LineFacts& line, const Terminal& terminal) {
  std::string source = printable(line.source, terminal.unicode);
  source.erase(0, std::min(source.find_first_not_of(' '), source.size()));
  return source;
}

/// True if every line of the source fits next to its counters. Otherwise, lines have rows of their own.
bool sources_fit(const KernelFacts& kernel, const Terminal& terminal) {
  const std::size_t counters = columns(line_cells("", "", "", "", "", "")) + 2;
  return std::all_of(kernel.lines.begin(), kernel.lines.end(), [&](const LineFacts& line) {
    return counters + columns(source_of(line, terminal)) <= terminal.width;
  });
}

std::string line_row(const LineFacts& line, std::uint64_t all, bool has_own_row, const Terminal& terminal) {
  const LineCounters ratios = ratios_of(line, all);
  const auto text = [](const std::optional<double>& value) { return value ? value_text(*value) : "-"; };
  std::string row = line_cells(line.line == 0 ? "-" : std::to_string(line.line),
                               fmt::format("{:.1f} %", ratios.share_percent), text(ratios.active_lanes),
                               per_execution(ratios.global_sectors), per_execution(ratios.shared_passes),
                               text(ratios.divergent_percent));
  const std::string source = source_of(line, terminal);
  if (source.empty()) return row + "\n";
  return has_own_row ? row + "\n" + cut("         " + source, terminal.width, terminal) + "\n"
                     : row + "  " + source + "\n";
}

std::string lines_text(const KernelFacts& kernel, bool shows_ptx, const Terminal& terminal) {
  const std::uint64_t all = warp_instructions(kernel.lines);
  std::string text = line_cells("line", "instr.", "lanes", "sectors/req", "wavefr./req", "div. %");
  const bool have_own_rows = !sources_fit(kernel, terminal);
  text += have_own_rows ? "\n" : "  source\n";
  std::string file;
  for (const LineFacts& line : kernel.lines) {
    if (line.line != 0 && line.file != file) {
      file = line.file;
      text +=
          cut("  " + printable(place_of(file, 1).substr(0, place_of(file, 1).rfind(':')), terminal.unicode),
              terminal.width, terminal) +
          "\n";
    }
    text += line_row(line, all, have_own_rows, terminal);
    for (const std::string& one : shows_ptx ? line.ptx : std::vector<std::string>{})
      text += paint(terminal, Ink::quiet,
                    cut("           " + printable(one, terminal.unicode), terminal.width, terminal)) +
              "\n";
  }
  return text + wrapped(
                    "instr.: share of the kernel's warp instructions; lanes: active per instruction; "
                    "sectors/req, wavefr./req: sectors of global memory and wavefronts of shared memory per "
                    "request, yours/ideal; div. %: branches that diverge",
                    terminal);
}

std::string measures_text(const KernelFacts& kernel, const Terminal& terminal) {
  const auto rows = measures_of(kernel);
  std::size_t name = 7;
  for (const Measure& row : rows) name = std::max(name, row.name.size());
  std::string text = "  " + left("counter", name, terminal) + fmt::format(" {:>8} {:>7}\n", "yours", "ideal");
  for (const Measure& row : rows) {
    const std::string yours = fmt::format("{:>8}", row.yours);
    text += "  " + left(row.name, name, terminal) + " " +
            (row.is_ideal ? yours : paint(terminal, Ink::warning, yours)) + fmt::format(" {:>7}", row.ideal) +
            (row.is_ideal ? "" : paint(terminal, Ink::warning, " not ideal")) + "\n";
  }
  return text;
}

/// "Time: instruction issue 99 us, load and store units 80 us, DRAM 3 us".
std::string times_text(const KernelFacts& kernel) {
  std::vector<std::pair<double, std::string_view>> parts;
  for (std::size_t i = 0; i < vgpu::kTimeParts; ++i)
    if (const double seconds = kernel.longest.time.part_s[i]; seconds > 0)
      parts.emplace_back(seconds, vgpu::name_of(static_cast<vgpu::TimePart>(i)));
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& one, const auto& other) { return one.first > other.first; });
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(parts.size(), 4); ++i)
    text += fmt::format("{}{} {}", i == 0 ? "Busy: " : ", ", parts[i].second, seconds_text(parts[i].first));
  return text;
}

std::string kernel_text(const KernelFacts& kernel, const RunProfile& profile, const Terminal& terminal) {
  const vgpu::LaunchRecord& launch = kernel.longest;
  std::string text =
      paint(terminal, Ink::strong, cut(printable(kernel.name, terminal.unicode), terminal.width, terminal)) +
      "\n";
  text +=
      wrapped(fmt::format("{}{}; {} of {} threads", seconds_text(launch.time.total_s()),
                          kernel.launches == 1 ? ""
                                               : fmt::format(" (the longest of {} launches, {} together)",
                                                             kernel.launches, seconds_text(kernel.seconds)),
                          "grid " + dimension(launch.grid) + ", blocks", dimension(launch.block)),
              terminal, 2);
  text += wrapped(limits_text(launch).substr(kernel.name.size() + 2), terminal, 2);
  text += wrapped(times_text(kernel), terminal, 2);
  text += "\n" + measures_text(kernel, terminal) + "\n" + lines_text(kernel, profile.shows_ptx, terminal);
  for (const NamedAccess* site : chosen_accesses(kernel, profile.choice))
    text += "\n" + access_text(*site, chosen_execution(*site, profile.choice), terminal);
  if (const std::string lanes = divergence_text(kernel, terminal); !lanes.empty()) text += "\n" + lanes;
  return text;
}

std::string compared_text(const RunProfile& profile, const Terminal& terminal) {
  if (profile.compared.empty()) return {};
  std::string text;
  for (const ComparedCounter& one : profile.compared)
    text += cut("  " + one.name, terminal.width, terminal) + "\n" +
            fmt::format("    {:>10} {:>10} {:>12} {:>10}\n", one.yours, one.naive, one.solution,
                        spelled(one.limit, terminal));
  return fmt::format("  objectives of the case\n    {:>10} {:>10} {:>12} {:>10}\n", "yours", "naive",
                     "solution", "objective") +
         text;
}

}  // namespace

std::string profile_text(const RunProfile& profile, const Terminal& terminal) {
  std::string text = paint(terminal, Ink::strong,
                           cut(spelled(printable("Profile of " + profile.title, terminal.unicode), terminal),
                               terminal.width, terminal)) +
                     "\n" + wrapped(profile.subtitle, terminal);
  for (const std::string& note : profile.notes) text += wrapped("note: " + note, terminal);
  if (profile.kernels.empty()) {
    text += "\nNo kernel ran to its end.\n";
    return profile.gpu ? text + "\n" + gpu_text(*profile.gpu, terminal) : text;
  }
  if (const std::string compared = compared_text(profile, terminal); !compared.empty())
    text += "\n" + compared;
  for (std::size_t i = 0; i < std::min(profile.kernels.size(), kMostKernels); ++i)
    text += "\n" + kernel_text(profile.kernels[i], profile, terminal);
  if (profile.kernels.size() > kMostKernels)
    text +=
        fmt::format("\nand {} more kernels, which take less time\n", profile.kernels.size() - kMostKernels);
  if (profile.gpu) text += "\n" + gpu_text(*profile.gpu, terminal);
  for (const Roofline& roofline : profile.rooflines) text += "\n" + roofline_text(roofline, terminal);
  for (const auto& program : profile.run.programs)
    if (const std::string timeline = timeline_text(program, terminal); !timeline.empty())
      text += "\n" + timeline;
  if (!profile.exactness.empty()) text += "\n";
  for (const std::string& line : profile.exactness) text += wrapped("Arithmetic: " + line, terminal);
  return text;
}

}  // namespace grader
