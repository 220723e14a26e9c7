#include "profile/timeline_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "report/numbers.hpp"
#include "report/timeline_rows.hpp"

namespace grader {
namespace {

using vgpu::OperationKind;

char mark_of(OperationKind kind) {
  switch (kind) {
    case OperationKind::kernel:
      return '#';
    case OperationKind::copy_to_device:
      return '>';
    case OperationKind::copy_to_host:
      return '<';
    case OperationKind::copy_on_device:
    case OperationKind::fill:
      return '=';
    default:
      return 'f';
  }
}

struct Span {
  double first_s = 0, last_s = 0;
};

Span span_of(const std::vector<vgpu::TimedOperation>& operations) {
  Span span{operations.front().start_s, 0};
  for (const vgpu::TimedOperation& one : operations) {
    span.first_s = std::min(span.first_s, one.start_s);
    span.last_s = std::max(span.last_s, one.end_s);
  }
  return span;
}

/// Where several operations share a column, the longest of them is shown; their gaps are not.
std::string row_of(const TimelineRow& row, const Span& span, std::size_t room) {
  std::string marks(room, ' ');
  std::vector<double> share(room, 0);
  const double column_s = (span.last_s - span.first_s) / static_cast<double>(room);
  for (const vgpu::TimedOperation* one : row.operations) {
    if (!takes_time(*one)) continue;
    const auto begin = static_cast<std::size_t>((one->start_s - span.first_s) / column_s);
    for (std::size_t at = begin; at < room; ++at) {
      const double left_s = span.first_s + static_cast<double>(at) * column_s;
      const double overlap_s = std::min(one->end_s, left_s + column_s) - std::max(one->start_s, left_s);
      if (overlap_s <= 0) break;
      if (overlap_s <= share[at]) continue;
      share[at] = overlap_s;
      marks[at] = mark_of(one->kind);
    }
  }
  marks.erase(marks.find_last_not_of(' ') + 1);
  return marks;
}

}  // namespace

std::string timeline_text(const vgpu::cudart::SessionReport& program, const Terminal& terminal) {
  const bool has_work = std::any_of(program.timeline.begin(), program.timeline.end(), takes_time);
  if (!has_work) return {};
  const Span span = span_of(program.timeline);
  const std::vector<TimelineRow> rows = timeline_rows(program.timeline);
  std::size_t name = 0;
  for (const TimelineRow& row : rows) name = std::max(name, columns(row.name));
  constexpr std::size_t kLeast = 20, kMost = 100;
  const std::size_t used = name + 4;
  const std::size_t room = std::clamp(terminal.width - std::min(terminal.width, used), kLeast, kMost);
  std::string text = fmt::format("Timeline: {} from the first operation to the last\n",
                                 seconds_text(span.last_s - span.first_s));
  bool in_engines = false;
  for (const TimelineRow& row : rows) {
    if (row.is_engine && !std::exchange(in_engines, true)) text += "  engines of the device\n";
    text += "  " + left(row.name, name, terminal) + " |" + row_of(row, span, room) + "\n";
  }
  for (const std::string& line :
       wrap("# kernel, > copy to the device, < copy to the host, = copy on the device or fill",
            terminal.width))
    text += line + "\n";
  return text;
}

}  // namespace grader
