// The counters of a kernel as people see them: name, definition, the metric of Nsight Compute that counts the
// same on a real GPU, and where the two differ. The one place where a counter is defined; reports, lab.json
// and handout/student/counters.md take it from here. Covered by tests/score/counter_table_test.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "vgpu/facts/counters.hpp"

namespace vgpu {

struct CounterInfo {
  std::string_view group;       ///< "global memory"
  std::string_view name;        ///< "global_load_sectors"
  std::string_view definition;  ///< what is counted
  std::string_view nsight;      ///< metric or formula of metrics; empty: Nsight Compute has none
  std::string_view difference;  ///< where machine code or hardware count otherwise; empty: nowhere
  double (*value)(const Counters&);
};

/// The group of what is known for whole launches only, not for lines of the source.
inline constexpr std::string_view kCacheGroup = "caches and DRAM";

/// In the order of reports. Ratios with nothing below the line are 0.
std::span<const CounterInfo> counter_table();

/// nullptr if there is none of that name.
const CounterInfo* find_counter(std::string_view name);

/// The table in Markdown, a heading for each group.
std::string counter_table_markdown();

}  // namespace vgpu
