#include "standalone/kernel_table.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "judge/wording.hpp"
#include "report/numbers.hpp"
#include "vgpu/model/time.hpp"

namespace grader {
namespace {

struct KernelSum {
  std::string kernel;  ///< mangled
  std::uint64_t launches = 0;
  double modelled_s = 0;
  double occupancy = 0;         ///< of the last launch
  std::string_view limited_by;  ///< of the last launch
  vgpu::Counters counters;
};

std::vector<KernelSum> sums_of(const ProgramRun& run) {
  std::vector<KernelSum> sums;
  for (const auto& program : run.programs) {
    for (const vgpu::LaunchRecord& launch : program.launches) {
      auto sum = std::find_if(sums.begin(), sums.end(),
                              [&](const KernelSum& one) { return one.kernel == launch.kernel; });
      if (sum == sums.end()) sum = sums.insert(sums.end(), KernelSum{launch.kernel, 0, 0, 0, {}, {}});
      ++sum->launches;
      sum->modelled_s += launch.time.total_s();
      sum->counters += launch.counters;
      sum->occupancy = launch.occupancy.fraction();
      sum->limited_by = vgpu::limiter_name(launch.time);
    }
  }
  return sums;
}

bool estimates_registers(const ProgramRun& run) {
  for (const auto& program : run.programs) {
    for (const vgpu::LaunchRecord& launch : program.launches)
      if (launch.registers_are_estimated) return true;
  }
  return false;
}

/// "4", "1.5"; "-" when there were no requests.
std::string ratio(std::uint64_t count, std::uint64_t requests) {
  if (requests == 0) return "-";
  return value_text(static_cast<double>(count) / static_cast<double>(requests));
}

constexpr const char* kRow = "{} {:>8} {:>12} {:>16} {:>9} {:>9} {:>9} {:>9} {:>9} {:>6} {:>9}  {}\n";
constexpr std::size_t kShortestName = 28;
constexpr std::size_t kWide = 155;  // columns; a narrower window gets sentences

/// The cells of a row, as text.
struct Cells {
  std::string name, time, instructions;
  std::string global_load, global_store, shared_load, shared_store;
  std::string divergent, lanes, occupancy;
};

Cells cells_of(const KernelSum& sum, const Terminal& terminal) {
  const vgpu::Counters& c = sum.counters;
  return {printable(kernel_name(sum.kernel), terminal.unicode),
          seconds_text(sum.modelled_s),
          count_text(c.warp_instructions),
          ratio(c.global_loads.sectors, c.global_loads.requests),
          ratio(c.global_stores.sectors, c.global_stores.requests),
          ratio(c.shared_loads.wavefronts, c.shared_loads.requests),
          ratio(c.shared_stores.wavefronts, c.shared_stores.requests),
          ratio(100 * c.divergent_branches, c.branches),
          ratio(c.thread_instructions, c.warp_instructions),
          value_text(100 * sum.occupancy)};
}

std::string row_of(const KernelSum& sum, std::size_t name, const Terminal& terminal) {
  const Cells cells = cells_of(sum, terminal);
  return fmt::format(kRow, left(cells.name, name, terminal), sum.launches, cells.time, cells.instructions,
                     cells.global_load, cells.global_store, cells.shared_load, cells.shared_store,
                     cells.divergent, cells.lanes, cells.occupancy, sum.limited_by);
}

/// "; sectors per request: load 4, store 4"; without the kinds that have no requests.
std::string per_request(const std::string& name, const std::string& load, const std::string& store) {
  std::vector<std::string> kinds;
  if (load != "-") kinds.push_back("load " + load);
  if (store != "-") kinds.push_back("store " + store);
  return kinds.empty() ? "" : fmt::format("; {} per request: {}", name, fmt::join(kinds, ", "));
}

std::string sentence_of(const KernelSum& sum, const Terminal& terminal) {
  const Cells cells = cells_of(sum, terminal);
  std::string text = fmt::format("{} {}, {} modelled, {} warp instructions", sum.launches,
                                 sum.launches == 1 ? "launch" : "launches", cells.time, cells.instructions) +
                     per_request("sectors", cells.global_load, cells.global_store) +
                     per_request("wavefronts", cells.shared_load, cells.shared_store);
  if (cells.divergent != "-") text += fmt::format("; divergent branches {} %", cells.divergent);
  text += fmt::format("; active lanes {}; occupancy {} %", cells.lanes, cells.occupancy);
  if (!sum.limited_by.empty()) text += fmt::format("; limited by {}", sum.limited_by);
  return text;
}

std::string wrapped(const std::string& text, std::size_t indent, const Terminal& terminal) {
  std::string block;
  for (const std::string& line : wrap(text, terminal.width - std::min(indent, terminal.width)))
    block += std::string(indent, ' ') + line + "\n";
  return block;
}

/// For a window that the table does not fit.
std::string sentences(const std::vector<KernelSum>& sums, bool is_estimate, const Terminal& terminal) {
  std::string text;
  for (const KernelSum& sum : sums)
    text += cut(printable(kernel_name(sum.kernel), terminal.unicode), terminal.width, terminal) + "\n" +
            wrapped(sentence_of(sum, terminal), 2, terminal);
  return text +
         wrapped(
             std::string("sectors of 32 bytes of global memory; wavefronts of shared memory, 1 without bank "
                         "conflicts; active lanes per instruction, at most 32; theoretical occupancy") +
                 (is_estimate ? ", registers estimated" : "") +
                 "; limited by the part of the device that takes longest",
             0, terminal);
}

}  // namespace

std::string kernel_table(const ProgramRun& run, const Terminal& terminal) {
  const std::vector<KernelSum> sums = sums_of(run);
  if (sums.empty()) return {};
  const bool is_estimate = estimates_registers(run);
  if (terminal.interactive && terminal.width < kWide) return sentences(sums, is_estimate, terminal);
  std::size_t name = kShortestName;
  for (const KernelSum& sum : sums)
    name = std::max(name, columns(printable(kernel_name(sum.kernel), terminal.unicode)));
  std::string text = fmt::format(kRow, left("", name, terminal), "", "modelled", "warp", "load", "store",
                                 "load", "store", "divergent", "active", "occupancy", "limited");
  text += fmt::format(kRow, left("kernel", name, terminal), "launches", "time", "instructions", "sectors/r",
                      "sectors/r", "wavefr./r", "wavefr./r", "branches", "lanes", "", "by");
  for (const KernelSum& sum : sums) text += row_of(sum, name, terminal);
  return text +
         "sectors/r: 32-byte sectors of global memory per request; wavefr./r: shared-memory wavefronts per "
         "request, 1 without bank conflicts; divergent branches in % of all branches; active lanes per "
         "instruction, at most 32; theoretical occupancy in %" +
         (is_estimate ? ", registers estimated" : "") +
         "; limited by: the part of the device that takes longest\n";
}

}  // namespace grader
