#include "profile/line_ratios.hpp"

#include <filesystem>
#include <map>

namespace grader {
namespace {

SpaceSums& operator+=(SpaceSums& sum, const SpaceSums& other) {
  sum.loads += other.loads;
  sum.stores += other.stores;
  return sum;
}

std::optional<PerRequest> per_execution_of(const AccessSum& sum) {
  if (sum.executions == 0) return std::nullopt;
  const auto executions = static_cast<double>(sum.executions);
  return PerRequest{static_cast<double>(sum.cost) / executions, static_cast<double>(sum.ideal) / executions};
}

std::optional<double> ratio_of(double above, std::uint64_t below) {
  return below == 0 ? std::nullopt : std::optional(above / static_cast<double>(below));
}

}  // namespace

LineCounters ratios_of(const LineFacts& line, std::uint64_t all) {
  const vgpu::Counters& c = line.counters;
  return {line.line,
          ratio_of(100.0 * static_cast<double>(c.warp_instructions), all).value_or(0),
          ratio_of(static_cast<double>(c.thread_instructions), c.warp_instructions),
          per_execution_of(line.global.both()),
          per_execution_of(line.shared.both()),
          ratio_of(100.0 * static_cast<double>(c.divergent_branches), c.branches)};
}

std::uint64_t warp_instructions(const std::vector<LineFacts>& lines) {
  std::uint64_t sum = 0;
  for (const LineFacts& line : lines) sum += line.counters.warp_instructions;
  return sum;
}

std::vector<LineCounters> lines_of_file(const std::vector<KernelFacts>& kernels, const std::string& name) {
  std::map<std::uint32_t, LineFacts> sums;
  std::uint64_t all = 0;
  for (const KernelFacts& kernel : kernels) {
    all += warp_instructions(kernel.lines);
    for (const LineFacts& line : kernel.lines) {
      if (line.line == 0 || std::filesystem::path(line.file).filename() != name) continue;
      LineFacts& sum = sums[line.line];
      sum.line = line.line;
      sum.counters += line.counters;
      sum.global += line.global;
      sum.shared += line.shared;
    }
  }
  std::vector<LineCounters> lines;
  for (const auto& [number, sum] : sums)
    if (lines.size() < kMaxCountedLines) lines.push_back(ratios_of(sum, all));
  return lines;
}

}  // namespace grader
