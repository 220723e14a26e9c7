#include "lab/run_counters.hpp"

#include <algorithm>
#include <array>

namespace grader {
namespace {

constexpr auto kRunCounters = std::to_array<RunCounter>({
    {"launches", "launches of kernels"},
    {"blocks", "blocks of all launches"},
    {"working_blocks", "those of them that count in `grid_blocks`"},
    {"threads", "threads of all launches"},
    {"compute_s", "modelled seconds of issue and arithmetic, summed over all launches"},
    {"dram_s", "modelled seconds of transfers with DRAM, summed over all launches"},
    {"shared_s", "modelled seconds of shared memory, summed over all launches"},
    {"kernel_s", "modelled seconds of all launches: each takes as long as its slowest part"},
    {"device_s", "modelled seconds of all launches, copies within the device and fills"},
    {"call_s", "modelled seconds of the whole call, with copies between host and device and waits"},
    {"grid_blocks",
     "blocks of a launch that execute at least about half as many instructions as the busiest one, and that "
     "store to global memory at least about half as often as the one that stores most; of several launches "
     "the least value, and `most_grid_blocks` is the greatest, as for all following counters",
     true},
    {"loading_blocks",
     "blocks of a launch that load at least about half as many bytes of global memory as the one that loads "
     "most",
     true},
    {"block_threads", "threads per block of a launch", true},
    {"registers_per_thread", "registers that a thread of a launch needs, an estimate", true},
    {"parameter_bytes", "bytes of the kernel's parameters that it can read", true},
    {"static_shared_bytes", "bytes of a block's shared memory whose size is in the source", true},
    {"static_shared_bytes_used",
     "those of the static bytes that a block both wrote and read, of the block that used most", true},
    {"dynamic_shared_bytes", "bytes of a block's shared memory whose size the launch passes", true},
    {"dynamic_shared_bytes_used",
     "those of the dynamic bytes that a block both wrote and read, of the block that used most", true},
});

}  // namespace

std::span<const RunCounter> run_counter_table() { return kRunCounters; }

const RunCounter* find_run_counter(std::string_view name) {
  const auto* found = std::find_if(kRunCounters.begin(), kRunCounters.end(),
                                   [&](const RunCounter& one) { return one.name == name; });
  return found == kRunCounters.end() ? nullptr : found;
}

std::string run_counter_markdown() {
  std::string text = "## launches and modelled times\n\n| counter | counts |\n|---|---|\n";
  for (const RunCounter& one : kRunCounters)
    text += "| `" + std::string(one.name) + "` | " + std::string(one.definition) + " |\n";
  return text;
}

}  // namespace grader
