// Tests the counters of a whole program on handwritten timelines.
#include "vgpu/cudart/device_side/program_counters.hpp"

#include <set>

#include "catch.hpp"

using vgpu::Engine;
using vgpu::OperationKind;
using vgpu::TimedOperation;
using vgpu::cudart::SessionReport;

namespace {

double value(const char* name, const SessionReport& report) {
  const auto* info = vgpu::cudart::find_program_counter(name);
  REQUIRE(info != nullptr);
  return info->value(report);
}

TimedOperation run(OperationKind kind, Engine engine, double start_s, double end_s) {
  TimedOperation one;
  one.kind = kind;
  one.engine = engine;
  one.issued_s = one.start_s = start_s;
  one.end_s = end_s;
  return one;
}

TimedOperation copy(OperationKind kind, std::uint64_t bytes, bool is_pageable, vgpu::StreamId stream) {
  TimedOperation one = run(kind, Engine::copy, 0, 1);
  one.bytes = bytes;
  one.is_pageable = is_pageable;
  one.stream = stream;
  return one;
}

TimedOperation up(double start_s, double end_s) {
  return run(OperationKind::copy_to_device, Engine::copy, start_s, end_s);
}
TimedOperation kernel(double start_s, double end_s) {
  return run(OperationKind::kernel, Engine::kernels, start_s, end_s);
}

double overlap(std::vector<TimedOperation> timeline) {
  SessionReport report;
  report.timeline = std::move(timeline);
  return value("overlap_fraction", report);
}

}  // namespace

TEST_CASE("program counters have unique names and descriptions, and are 0 for an empty program") {
  std::set<std::string_view> names;
  for (const auto& info : vgpu::cudart::program_counter_table()) {
    INFO(info.name);
    CHECK(names.insert(info.name).second);
    CHECK(!info.definition.empty());
    CHECK(info.value(SessionReport{}) == 0);
  }
  CHECK(vgpu::cudart::find_program_counter("copies") == nullptr);
}

TEST_CASE("copies count by direction and kind of host memory, and copies on the device do not count") {
  SessionReport report;
  report.timeline = {
      copy(OperationKind::copy_to_device, 300, false, 0), copy(OperationKind::copy_to_device, 100, true, 1),
      copy(OperationKind::copy_to_host, 400, true, 1), copy(OperationKind::copy_on_device, 5000, false, 2)};
  CHECK(value("copy_to_device_bytes", report) == 400);
  CHECK(value("copy_to_host_bytes", report) == 400);
  CHECK(value("pageable_copies", report) == 2);
  CHECK(value("pinned_copy_fraction", report) == 0.375);
  CHECK(value("streams_used", report) == 3);
  report.timeline.push_back(copy(OperationKind::copy_to_device, 800, false, 0));
  report.timeline.back().is_access = true;
  CHECK(value("copy_to_device_bytes", report) == 400);
  CHECK(value("pinned_copy_fraction", report) == 0.1875);
  for (TimedOperation& one : report.timeline) one.is_useful = one.stream == 0;
  CHECK(value("useful_copy_to_device_bytes", report) == 300);
  CHECK(value("streams_used", report) == 1);
}

TEST_CASE("a stream with less than a quarter of the busiest stream's work is not used") {
  SessionReport report;
  const auto busy_for = [&](double seconds, vgpu::StreamId stream) {
    report.timeline.push_back(up(0, seconds));
    report.timeline.back().stream = stream;
  };
  busy_for(6, 1);
  busy_for(1.75, 2);
  CHECK(value("streams_used", report) == 2);
  busy_for(2, 1);
  CHECK(value("streams_used", report) == 1);
  busy_for(0.25, 2);
  CHECK(value("streams_used", report) == 2);
}

TEST_CASE("overlap is 0 without overlap, 1 if the busiest engine never waits, and undefined for one engine") {
  CHECK(overlap({up(0, 2), kernel(2, 3)}) == 0);
  CHECK(overlap({up(0, 0.3), kernel(0.3, 0.9)}) == 0);  // whose sum is a little more than 0.9
  CHECK(overlap({up(0, 4), kernel(1, 3)}) == 1);
  CHECK(overlap({up(0, 4)}) == 0);
  // 4 + 2 busy, 5 from begin to end: half of the kernels' 2 are hidden.
  CHECK(overlap({up(0, 4), kernel(3, 5)}) == 0.5);
  // A gap in which no engine works is lost time, too.
  CHECK(overlap({up(0, 4), kernel(4, 6), kernel(8, 9)}) == 0);
}

TEST_CASE("work that is not useful, and accesses to the host's memory, do not overlap, but take their time") {
  TimedOperation busy = kernel(0, 4), access = up(0, 2);
  busy.is_useful = false;
  access.is_access = true;
  CHECK(overlap({up(0, 4), busy}) == 0);
  CHECK(overlap({access, kernel(0, 2)}) == 0);
  CHECK(overlap({up(0, 4), kernel(1, 3), busy}) == 1);
  busy.end_s = 5;
  CHECK(overlap({up(0, 4), kernel(1, 3), busy}) == 0.5);
}

TEST_CASE("kernels that run at the same time count once for their engine") {
  CHECK(overlap({up(0, 4), kernel(1, 3), kernel(2, 3)}) == 1);
}

TEST_CASE("memory counts at its peak, and everything counts that exists at the end of the program") {
  SessionReport report;
  report.live_allocations = {{256, 1000, 1}, {512, 24, 2}};
  report.live_host_regions = 3;
  report.live.streams = 4;
  report.live.events = 5;
  report.peak_device_bytes = 2000;
  CHECK(value("unfreed_resources", report) == 14);
  CHECK(value("peak_device_bytes", report) == 2000);
}
