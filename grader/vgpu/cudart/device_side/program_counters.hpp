// Counters of a whole program on the virtual GPU: copies, streams, waits, memory. They come from the device's
// observations, not from the program's reports. This is the only definition of these counters;
// facts/counter_table.hpp defines the counters of kernels. Covered by tests/score/program_counters_test.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "vgpu/cudart/device_side/server.hpp"

namespace vgpu::cudart {

struct ProgramCounterInfo {
  std::string_view name;        ///< "pinned_copy_fraction"
  std::string_view definition;  ///< what the counter counts
  double (*value)(const SessionReport&);
};

/// All counters, in the order of reports. A ratio with a zero denominator is 0.
std::span<const ProgramCounterInfo> program_counter_table();

/// Returns nullptr if no counter has this name.
const ProgramCounterInfo* find_program_counter(std::string_view name);

/// The table in Markdown, with its heading.
std::string program_counter_markdown();

}  // namespace vgpu::cudart
