#include "standalone/kernel_table.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

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

constexpr const char* kRow = "{:<28} {:>8} {:>12} {:>16} {:>9} {:>9} {:>9} {:>9} {:>9} {:>6} {:>9}  {}\n";

std::string row_of(const KernelSum& sum, const Terminal& terminal) {
  const vgpu::Counters& c = sum.counters;
  const std::string name = printable(kernel_name(sum.kernel), terminal.unicode);
  return fmt::format(kRow, name, sum.launches, seconds_text(sum.modelled_s), count_text(c.warp_instructions),
                     ratio(c.global_loads.sectors, c.global_loads.requests),
                     ratio(c.global_stores.sectors, c.global_stores.requests),
                     ratio(c.shared_loads.wavefronts, c.shared_loads.requests),
                     ratio(c.shared_stores.wavefronts, c.shared_stores.requests),
                     ratio(100 * c.divergent_branches, c.branches),
                     ratio(c.thread_instructions, c.warp_instructions), value_text(100 * sum.occupancy),
                     sum.limited_by);
}

}  // namespace

std::string kernel_table(const ProgramRun& run, const Terminal& terminal) {
  const std::vector<KernelSum> sums = sums_of(run);
  if (sums.empty()) return {};
  std::string text = fmt::format(kRow, "", "", "modelled", "warp", "load", "store", "load", "store",
                                 "divergent", "active", "occupancy", "limited");
  text += fmt::format(kRow, "kernel", "launches", "time", "instructions", "sectors/r", "sectors/r",
                      "wavefr./r", "wavefr./r", "branches", "lanes", "", "by");
  for (const KernelSum& sum : sums) text += row_of(sum, terminal);
  return text +
         "sectors/r: 32-byte sectors of global memory per request; wavefr./r: shared-memory wavefronts per "
         "request, 1 without bank conflicts; divergent branches in % of all branches; active lanes per "
         "instruction, at most 32; theoretical occupancy in %" +
         (estimates_registers(run) ? ", registers estimated" : "") +
         "; limited by: the part of the device that takes longest\n";
}

}  // namespace grader
