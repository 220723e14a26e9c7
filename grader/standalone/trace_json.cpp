#include "standalone/trace_json.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "report/timeline_rows.hpp"
#include "standalone/extent_json.hpp"

namespace grader {
namespace {

using Json = nlohmann::ordered_json;

double microseconds(double seconds) { return std::round(seconds * 1e10) / 1e4; }

Json arguments(const vgpu::TimedOperation& operation) {
  Json values = {{"operation", operation.id}, {"issued_us", microseconds(operation.issued_s)}};
  if (operation.kind == vgpu::OperationKind::kernel) {
    values["grid"] = extent_json(operation.grid);
    values["block"] = extent_json(operation.block);
    values["share_of_device"] = operation.share;
  }
  if (operation.bytes > 0) {
    values["bytes"] = operation.bytes;
    values["host_memory"] = operation.is_pageable ? "pageable" : "pinned";
  }
  return values;
}

/// A name for a process or a thread.
Json name(const char* what, int process, int thread, const std::string& text) {
  return {{"ph", "M"}, {"name", what}, {"pid", process}, {"tid", thread}, {"args", {{"name", text}}}};
}

void add_operation(Json& events, const vgpu::TimedOperation& operation, int process, int thread) {
  // Trace Event Format: X is an event with a duration in microseconds, i an instant; scope t is the thread.
  Json event = {{"name", operation_name(operation)},
                {"cat", operation.kind == vgpu::OperationKind::kernel ? "kernel" : "memory"},
                {"ph", "X"},
                {"pid", process},
                {"tid", thread},
                {"ts", microseconds(operation.start_s)},
                {"dur", microseconds(operation.end_s) - microseconds(operation.start_s)}};
  if (!takes_time(operation)) {
    event.erase("dur");
    event["cat"] = "event";
    event["ph"] = "i";
    event["s"] = "t";
  }
  event["args"] = arguments(operation);
  events.push_back(std::move(event));
}

void add_program(Json& events, const vgpu::cudart::SessionReport& program, int number) {
  const int streams = 2 * number, engines = streams + 1;
  const std::string suffix = number == 1 ? "" : " of program " + std::to_string(number);
  events.push_back(name("process_name", streams, 0, "streams" + suffix));
  events.push_back(name("process_name", engines, 0, "engines" + suffix));
  int thread = 0;
  for (const TimelineRow& row : timeline_rows(program.timeline)) {
    const int process = row.is_engine ? engines : streams;
    events.push_back(name("thread_name", process, ++thread, row.name));
    for (const vgpu::TimedOperation* operation : row.operations)
      add_operation(events, *operation, process, thread);
  }
}

}  // namespace

std::string trace_json(const ProgramRun& run, const vgpu::Profile& profile) {
  Json events = Json::array();
  int number = 0;
  for (const auto& program : run.programs) add_program(events, program, ++number);
  const Json document = {{"displayTimeUnit", "ns"},
                         {"otherData", {{"device", profile.name}, {"made_by", "warpgrade run --trace"}}},
                         {"traceEvents", std::move(events)}};
  return json_text(document, 1) + "\n";
}

}  // namespace grader
