#include "standalone/line_table.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "judge/wording.hpp"
#include "report/numbers.hpp"
#include "standalone/source_of_fault.hpp"

namespace grader {
namespace {

constexpr std::size_t kMostLines = 25;  // per kernel; the other lines share one row

using Place = std::pair<std::string, std::uint32_t>;  // file and line

struct KernelLines {
  std::string kernel;  ///< mangled
  std::map<Place, vgpu::Counters> lines;
};

std::vector<KernelLines> kernels_of(const ProgramRun& run) {
  std::vector<KernelLines> kernels;
  for (const auto& program : run.programs) {
    for (const vgpu::LaunchRecord& launch : program.launches) {
      if (launch.lines.empty()) continue;
      auto kernel = std::find_if(kernels.begin(), kernels.end(),
                                 [&](const KernelLines& one) { return one.kernel == launch.kernel; });
      if (kernel == kernels.end()) kernel = kernels.insert(kernels.end(), KernelLines{launch.kernel, {}});
      for (const vgpu::LineCounters& line : launch.lines)
        kernel->lines[{line.file, line.line}] += line.counters;
    }
  }
  return kernels;
}

/// Lines of source files, read once each.
class Sources {
 public:
  std::string text(const Place& place) {
    const auto [file, line] = place;
    const auto found = files_.try_emplace(file, SourceText{});
    if (found.second) found.first->second = source_text(file);
    const auto& lines = found.first->second.lines;
    return line == 0 || line > lines.size() ? "" : lines[line - 1];
  }

 private:
  std::map<std::string, SourceText> files_;
};

/// "4"; "-" when the denominator is zero.
std::string ratio(double above, std::uint64_t below) {
  return below == 0 ? "-" : value_text(above / static_cast<double>(below));
}

struct Row {
  std::string share, instructions, place, lanes, sectors, sectors_per_request, conflicts, divergence, source;
};

Row row_of(const Place& place, const vgpu::Counters& c, std::uint64_t all) {
  std::uint64_t requests = 0, sectors = 0;
  const auto add = [&](const auto& traffic) {
    requests += traffic.requests;
    sectors += traffic.sectors;
  };
  for (const auto* global : {&c.global_loads, &c.global_stores, &c.global_atomics}) add(*global);
  for (const auto* texture : {&c.texture_fetches, &c.surface_loads, &c.surface_stores}) add(*texture);
  const std::uint64_t conflicts = c.shared_loads.bank_conflicts + c.shared_stores.bank_conflicts;
  Row row;
  row.share = ratio(100.0 * static_cast<double>(c.warp_instructions), all) + " %";
  row.instructions = count_text(c.warp_instructions);
  row.place = place.second == 0 ? "-"
                                : printable(std::filesystem::path(place.first).filename().string() + ":" +
                                            std::to_string(place.second));
  row.lanes = ratio(static_cast<double>(c.thread_instructions), c.warp_instructions);
  row.sectors = sectors == 0 ? "-" : count_text(sectors);
  row.sectors_per_request = ratio(static_cast<double>(sectors), requests);
  row.conflicts = conflicts == 0 ? "-" : count_text(conflicts);
  row.divergence = ratio(100.0 * static_cast<double>(c.divergent_branches), c.branches);
  return row;
}

constexpr std::size_t kNarrow = 100;  // columns; on a narrower terminal the source has a row of its own

std::string without_trailing_spaces(std::string row) {
  row.erase(row.find_last_not_of(' ') + 1);
  return row + "\n";
}

std::string wide_text(const Row& row, const Terminal& terminal) {
  const std::string numbers =
      fmt::format("{:>7} {:>11} {:>24} {:>6} {:>8} {:>8} {:>9} {:>9}  ", row.share, row.instructions,
                  row.place, row.lanes, row.sectors, row.sectors_per_request, row.conflicts, row.divergence);
  const std::size_t room = terminal.width - std::min(terminal.width, columns(numbers));
  return without_trailing_spaces(numbers + cut(row.source, room, terminal));
}

std::string narrow_text(const Row& row, const Terminal& terminal) {
  const std::string numbers =
      fmt::format("{:>6} {:>5} {:>7} {:>5} {:>6} {:>6}\n", row.share, row.lanes, row.sectors,
                  row.sectors_per_request, row.conflicts, row.divergence);
  return numbers +
         without_trailing_spaces(cut("  " + row.place + "  " + row.source, terminal.width, terminal));
}

std::string text_of(const Row& row, const Terminal& terminal) {
  return terminal.width < kNarrow ? narrow_text(row, terminal) : wide_text(row, terminal);
}

std::string header(const Terminal& terminal) {
  const Row narrow{"instr.", "", "line", "lanes", "sectors", "/req.", "confl.", "div. %", "source"};
  const Row wide{"share", "instr.", "line", "lanes", "sectors", "sect./r", "conflicts", "diverg.", "source"};
  return text_of(terminal.width < kNarrow ? narrow : wide, terminal);
}

std::string table_of(const KernelLines& kernel, Sources& sources, const Terminal& terminal) {
  std::vector<std::pair<Place, vgpu::Counters>> rows(kernel.lines.begin(), kernel.lines.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& one, const auto& other) {
    return one.second.warp_instructions > other.second.warp_instructions;
  });
  std::uint64_t all = 0;
  for (const auto& [place, counters] : rows) all += counters.warp_instructions;
  std::string text = cut(printable(kernel_name(kernel.kernel), terminal.unicode), terminal.width, terminal) +
                     "\n" + header(terminal);
  for (std::size_t i = 0; i < rows.size() && i < kMostLines; ++i) {
    const auto& [place, counters] = rows[i];
    Row row = row_of(place, counters, all);
    row.source = printable(sources.text(place), terminal.unicode);
    row.source.erase(0, std::min(row.source.find_first_not_of(' '), row.source.size()));
    text += text_of(row, terminal);
  }
  if (rows.size() > kMostLines) text += fmt::format("and {} more lines\n", rows.size() - kMostLines);
  return text;
}

/// Explains the columns.
std::string legend(const Terminal& terminal) {
  const bool is_narrow = terminal.width < kNarrow;
  const std::string text = fmt::format(
      "{} the kernel's warp instructions; lanes: active lanes per instruction, at most 32; "
      "sectors, {}: global-memory sectors, in total and per request; {}: shared-memory bank conflicts; "
      "{}: % of branches that diverge. Line `-`: code without a line number",
      is_narrow ? "instr.: share of" : "share, instr.: share and number of", is_narrow ? "/req." : "sect./r",
      is_narrow ? "confl." : "conflicts", is_narrow ? "div." : "diverg.");
  std::string wrapped;
  for (const std::string& line : wrap(text, terminal.width)) wrapped += line + "\n";
  return wrapped;
}

}  // namespace

std::string line_table(const ProgramRun& run, const Terminal& terminal) {
  Sources sources;
  std::string text;
  for (const KernelLines& kernel : kernels_of(run)) text += table_of(kernel, sources, terminal) + "\n";
  return text.empty() ? text : text + legend(terminal);
}

}  // namespace grader
