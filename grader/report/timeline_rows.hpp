// A program's timeline as rows: one per stream, then one per engine of the device. Used by the trace
// (trace_json.hpp) and the picture (timeline_svg.hpp).
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

/// Rows that have operations. The default stream is first, the others are in the order of their first
/// operations. The rows of engines contain only operations that take time.
std::vector<TimelineRow> timeline_rows(const std::vector<vgpu::TimedOperation>& operations);

/// "vecAdd", "copy to device", "event", …
std::string operation_name(const vgpu::TimedOperation& operation);

/// "4 MiB", "20 KiB", "100 B".
std::string bytes_text(std::uint64_t bytes);

/// Whether the operation has a duration on the time axis.
bool takes_time(const vgpu::TimedOperation& operation);

}  // namespace grader
