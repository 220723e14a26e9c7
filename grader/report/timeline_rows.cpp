#include "report/timeline_rows.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "judge/wording.hpp"

namespace grader {
namespace {

using vgpu::Engine;
using vgpu::OperationKind;
using vgpu::TimedOperation;

std::string engine_name(Engine engine, bool has_second_copy_engine) {
  switch (engine) {
    case Engine::copy:
      return has_second_copy_engine ? "copy to device" : "copy engine";
    case Engine::copy_back:
      return "copy to host";
    case Engine::kernels:
      return "kernels";
    case Engine::host:
      return "host functions";
    case Engine::none:
      break;
  }
  return "";
}

std::vector<TimelineRow> stream_rows(const std::vector<TimedOperation>& operations) {
  std::map<vgpu::StreamId, std::size_t> row_of;
  std::vector<TimelineRow> rows;
  int named = 0;
  const auto row_for = [&](vgpu::StreamId stream) {
    const auto [found, is_new] = row_of.try_emplace(stream, rows.size());
    if (is_new) {
      std::string name = stream == vgpu::kLegacyStream ? "default stream" : fmt::format("stream {}", ++named);
      rows.push_back({std::move(name), false, {}});
    }
    return found->second;
  };
  const bool has_default = std::any_of(operations.begin(), operations.end(), [](const TimedOperation& one) {
    return one.stream == vgpu::kLegacyStream;
  });
  if (has_default) row_for(vgpu::kLegacyStream);
  for (const TimedOperation& operation : operations)
    rows[row_for(operation.stream)].operations.push_back(&operation);
  return rows;
}

std::vector<TimelineRow> engine_rows(const std::vector<TimedOperation>& operations) {
  const bool two = std::any_of(operations.begin(), operations.end(),
                               [](const TimedOperation& one) { return one.engine == Engine::copy_back; });
  std::vector<TimelineRow> rows;
  for (const Engine engine : {Engine::copy, Engine::kernels, Engine::copy_back, Engine::host}) {
    TimelineRow row{engine_name(engine, two), true, {}};
    for (const TimedOperation& operation : operations) {
      if (operation.engine == engine && takes_time(operation)) row.operations.push_back(&operation);
    }
    if (!row.operations.empty()) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::vector<TimelineRow> timeline_rows(const std::vector<TimedOperation>& operations) {
  std::vector<TimelineRow> rows = stream_rows(operations);
  for (TimelineRow& row : engine_rows(operations)) rows.push_back(std::move(row));
  return rows;
}

std::string operation_name(const TimedOperation& operation) {
  switch (operation.kind) {
    case OperationKind::kernel:
      return kernel_name(operation.name);
    case OperationKind::copy_to_device:
      return "copy to device";
    case OperationKind::copy_to_host:
      return "copy to host";
    case OperationKind::copy_on_device:
      return "copy on device";
    case OperationKind::fill:
      return "fill";
    case OperationKind::host_function:
      return "host function";
    case OperationKind::event_record:
      return "event";
    case OperationKind::event_wait:
      return "wait for event";
  }
  return "";
}

std::string bytes_text(std::uint64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.3g} {}", value, kUnits[unit]);
}

bool takes_time(const TimedOperation& operation) { return operation.end_s > operation.start_s; }

}  // namespace grader
