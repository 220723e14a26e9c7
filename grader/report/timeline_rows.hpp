// A program's timeline as rows for people: one for each stream, then one for each engine of the device. What
// the trace (trace_json.hpp) and the picture (timeline_svg.hpp) have in common.
#pragma once

#include <string>
#include <vector>

#include "vgpu/model/operation.hpp"

namespace grader {

struct TimelineRow {
  std::string name;
  bool is_engine = false;
  std::vector<const vgpu::TimedOperation*> operations;  ///< in the order of issue; not owned
};

/// Rows that have operations. Streams in the order of their first one, the default stream first; in an
/// engine's row there is only what takes time.
std::vector<TimelineRow> timeline_rows(const std::vector<vgpu::TimedOperation>& operations);

/// "vecAdd", "copy to device", "event", …
std::string operation_name(const vgpu::TimedOperation& operation);

/// "4 MiB", "20 KiB", "100 B".
std::string bytes_text(std::uint64_t bytes);

/// Whether it takes up room on the time axis.
bool takes_time(const vgpu::TimedOperation& operation);

}  // namespace grader
