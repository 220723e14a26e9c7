// The counters of a kernel as people see them: name, definition, the Nsight Compute metric that counts the
// same on a real GPU, and where the two differ. The only definition of each counter; reports, lab.json and
// handout/student/counters.md are made from this table. Covered by tests/score/counter_table_test.cpp.
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
  std::string_view nsight;      ///< metric or formula of metrics; empty: Nsight Compute has no equivalent
  std::string_view difference;  ///< where machine code or hardware counts differently; empty: nowhere
  double (*value)(const Counters&);
};

/// The group of counters that exist for whole launches only, not for source lines.
inline constexpr std::string_view kCacheGroup = "caches and DRAM";

/// In the order of reports. Ratios with a zero denominator are 0.
std::span<const CounterInfo> counter_table();

/// nullptr if no counter has that name.
const CounterInfo* find_counter(std::string_view name);

/// The table in Markdown, one heading per group.
std::string counter_table_markdown();

}  // namespace vgpu
