// Counters of a whole program on the virtual GPU: copies, streams, waits, memory. Computed from what the
// device saw, not from what the program says. As facts/counter_table.hpp, which has the counters of
// kernels, this is the one place where they are defined. Covered by tests/score/program_counters_test.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "vgpu/cudart/device_side/server.hpp"

namespace vgpu::cudart {

struct ProgramCounterInfo {
  std::string_view name;        ///< "pinned_copy_fraction"
  std::string_view definition;  ///< what is counted
  double (*value)(const SessionReport&);
};

/// In the order of reports. Ratios with nothing below the line are 0.
std::span<const ProgramCounterInfo> program_counter_table();

/// nullptr if there is none of that name.
const ProgramCounterInfo* find_program_counter(std::string_view name);

/// The table in Markdown, with its heading.
std::string program_counter_markdown();

}  // namespace vgpu::cudart
