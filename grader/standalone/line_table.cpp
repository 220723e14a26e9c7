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

constexpr std::size_t kMostLines = 25;  // of a kernel; the rest is one row

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

/// "4"; "-" where nothing was asked for.
std::string ratio(double above, std::uint64_t below) {
  return below == 0 ? "-" : value_text(above / static_cast<double>(below));
}

constexpr const char* kRow = "{:>7} {:>24} {:>6} {:>8} {:>8} {:>9} {:>9}  ";

std::string row_of(const Place& place, const vgpu::Counters& c, std::uint64_t all) {
  const std::string at = place.second == 0 ? "-"
                                           : std::filesystem::path(place.first).filename().string() + ":" +
                                                 std::to_string(place.second);
  const std::uint64_t requests =
      c.global_loads.requests + c.global_stores.requests + c.global_atomics.requests;
  const std::uint64_t sectors = c.global_loads.sectors + c.global_stores.sectors + c.global_atomics.sectors;
  const std::uint64_t conflicts = c.shared_loads.bank_conflicts + c.shared_stores.bank_conflicts;
  const auto threads = static_cast<double>(c.thread_instructions);
  return fmt::format(kRow, ratio(100.0 * static_cast<double>(c.warp_instructions), all) + " %", printable(at),
                     ratio(threads, c.warp_instructions), sectors == 0 ? "-" : count_text(sectors),
                     ratio(static_cast<double>(sectors), requests),
                     conflicts == 0 ? "-" : count_text(conflicts),
                     ratio(100.0 * static_cast<double>(c.divergent_branches), c.branches));
}

std::string table_of(const KernelLines& kernel, Sources& sources, const Terminal& terminal) {
  std::vector<std::pair<Place, vgpu::Counters>> rows(kernel.lines.begin(), kernel.lines.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& one, const auto& other) {
    return one.second.warp_instructions > other.second.warp_instructions;
  });
  std::uint64_t all = 0;
  for (const auto& [place, counters] : rows) all += counters.warp_instructions;
  std::string text =
      printable(kernel_name(kernel.kernel), terminal.unicode) + "\n" +
      fmt::format(kRow, "instr.", "line", "lanes", "sectors", "sect./r", "conflicts", "diverg.") + "source\n";
  for (std::size_t i = 0; i < rows.size() && i < kMostLines; ++i) {
    const auto& [place, counters] = rows[i];
    std::string source = printable(sources.text(place), terminal.unicode);
    source.erase(0, std::min(source.find_first_not_of(' '), source.size()));
    std::string row = row_of(place, counters, all);
    const std::size_t room = terminal.width > row.size() ? terminal.width - row.size() : 0;
    row += cut(source, room, terminal);
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + "\n";
  }
  if (rows.size() > kMostLines) text += fmt::format("and {} more lines\n", rows.size() - kMostLines);
  return text;
}

}  // namespace

std::string line_table(const ProgramRun& run, const Terminal& terminal) {
  Sources sources;
  std::string text;
  for (const KernelLines& kernel : kernels_of(run)) text += table_of(kernel, sources, terminal) + "\n";
  if (text.empty()) return text;
  return text +
         "instr.: share of the kernel's warp instructions; lanes: active lanes an instruction, 32 at best; "
         "sectors, sect./r: of global memory, all and a request; conflicts: of shared memory; diverg.: % of "
         "branches. `-` is code without a line\n";
}

}  // namespace grader
