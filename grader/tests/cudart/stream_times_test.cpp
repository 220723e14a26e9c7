// Modelled time as programs measure it: events, queries, copies of pinned and pageable memory, and overlaps
// between streams. The device copies eight bytes per second and takes no time to issue work.
#include "vgpu/cudart/device_side/stream_times.hpp"

#include "catch.hpp"

namespace stream_times_test {

using vgpu::OperationKind;
using vgpu::cudart::StreamTimes;
using vgpu::cudart::WaitFor;

namespace {

vgpu::Profile simple_profile() {
  vgpu::Profile profile = vgpu::lecture_profile();
  profile.host_call_s = 0;
  profile.link_latency_s = 0;
  profile.to_device_bytes_per_s = profile.to_host_bytes_per_s = 8;
  profile.pageable_to_device_bytes_per_s = profile.pageable_to_host_bytes_per_s = 4;
  return profile;
}

void copy(StreamTimes& times, OperationKind kind, std::uint32_t stream, bool is_pageable = false) {
  times.add_copy(kind, stream, 8, is_pageable);
}

void launch(StreamTimes& times, std::uint32_t stream, double seconds) {
  vgpu::LaunchRecord record;
  record.kernel = "vecAdd";
  record.grid = record.block = {1, 1, 1};
  record.time.run_s = seconds;
  record.occupancy.blocks_per_sm = 1;
  times.add_kernel(record, stream);
}

constexpr std::uint64_t kStart = 1, kStop = 2;  // events

/// The time since the program's start, if kStart was recorded there.
double seconds_until_now(StreamTimes& times, std::uint32_t stream) {
  times.record_event(kStop, stream);
  times.synchronise({WaitFor::event, kStop});
  const auto seconds = times.elapsed_s(kStart, kStop);
  REQUIRE(seconds);
  return *seconds;
}

/// The lecture's loop over two segments in two streams.
double seconds_of_both(bool breadth_first) {
  StreamTimes times(simple_profile());
  times.record_event(kStart, 1);
  const auto up = [&](std::uint32_t stream) {
    copy(times, OperationKind::copy_to_device, stream);
    copy(times, OperationKind::copy_to_device, stream);
  };
  const auto down = [&](std::uint32_t stream) { copy(times, OperationKind::copy_to_host, stream); };
  if (breadth_first) {
    for (const unsigned stream : {1U, 2U}) up(stream);
    for (const unsigned stream : {1U, 2U}) launch(times, stream, 1);
    for (const unsigned stream : {1U, 2U}) down(stream);
  } else {
    for (const unsigned stream : {1U, 2U}) {
      up(stream);
      launch(times, stream, 1);
      down(stream);
    }
  }
  return seconds_until_now(times, vgpu::kLegacyStream);
}

}  // namespace

TEST_CASE("host memory that a kernel accesses crosses the link before and after it, like pageable copies") {
  StreamTimes times(simple_profile());
  times.record_event(kStart, 1);
  vgpu::LaunchRecord record;
  record.grid = record.block = {1, 1, 1};
  record.time.run_s = 1;
  record.occupancy.blocks_per_sm = 1;
  times.add_kernel(record, 1, {.read = 16, .written = 8});
  CHECK(seconds_until_now(times, 1) == 4 + 1 + 2);
  const auto timeline = times.finish();
  CHECK((timeline[1].is_access && !timeline[2].is_access && timeline[3].is_access));
}

TEST_CASE("kernels that keep the device busy do not run at the same time, kernels that wait do") {
  const auto seconds_of_two = [](vgpu::TimePart part, double busy_s, std::uint32_t blocks = 1) {
    StreamTimes times(simple_profile());
    vgpu::LaunchRecord record;
    record.grid = {blocks, 1, 1};
    record.block = {1, 1, 1};
    record.time.run_s = 1;
    record.time[part] = busy_s;
    record.occupancy.blocks_per_sm = 8;
    times.record_event(kStart, 0);
    times.add_kernel(record, 1);
    times.add_kernel(record, 2);
    return seconds_until_now(times, 0);
  };
  const std::uint32_t sms = simple_profile().sm_count;
  CHECK(seconds_of_two(vgpu::TimePart::dram, 0.9) == 2);
  CHECK(seconds_of_two(vgpu::TimePart::dram, 0.1) == 1);
  // On each of all SMs, and on half of them.
  for (const vgpu::TimePart part : {vgpu::TimePart::issue, vgpu::TimePart::fp32, vgpu::TimePart::shared}) {
    CHECK(seconds_of_two(part, 0.9, sms) == 2);
    CHECK(seconds_of_two(part, 0.4, sms) == 1);
    CHECK(seconds_of_two(part, 0.9, sms / 2) == 1);
  }
  CHECK(seconds_of_two(vgpu::TimePart::latency, 1, sms) == 1);
}

TEST_CASE("events measure the time of the work between them in their stream") {
  StreamTimes times(simple_profile());
  launch(times, 1, 2);
  times.record_event(kStart, 1);
  copy(times, OperationKind::copy_to_device, 1);
  launch(times, 1, 3);
  CHECK(seconds_until_now(times, 1) == 4);
}

TEST_CASE("pageable copies are slower, and the host waits for them") {
  StreamTimes times(simple_profile());
  times.record_event(kStart, 1);
  copy(times, OperationKind::copy_to_device, 1, true);
  CHECK(seconds_until_now(times, 1) == 2);
  copy(times, OperationKind::copy_to_host, 1, true);
  CHECK(times.has_ended({WaitFor::stream, 1}));
}

TEST_CASE("waits of the host between two pieces of work are counted by kind") {
  StreamTimes times(simple_profile());
  times.synchronise({WaitFor::device});  // nothing to wait for yet
  launch(times, 1, 1);
  times.synchronise({WaitFor::device});
  times.synchronise({WaitFor::stream, 1});
  CHECK(times.host_waits().device == 0);  // this can be the end of the program
  copy(times, OperationKind::copy_to_host, 1);
  times.record_event(kStop, 1);
  times.synchronise({WaitFor::event, kStop});
  launch(times, 1, 1);
  times.synchronise({WaitFor::device});
  CHECK(times.host_waits().device == 1);
  CHECK(times.host_waits().stream == 1);
  CHECK(times.host_waits().event == 1);
}

TEST_CASE("running work is not ready until the host has waited or has polled often enough") {
  StreamTimes times(simple_profile());
  times.record_event(kStart, 1);
  launch(times, 1, 1e-5);
  times.record_event(kStop, 1);
  CHECK_FALSE(times.has_ended({WaitFor::event, kStop}));
  CHECK_FALSE(times.elapsed_s(kStart, kStop));
  CHECK_FALSE(times.has_ended({WaitFor::stream, 1}));
  CHECK(times.has_ended({WaitFor::stream, 2}));
  int asked = 0;
  while (!times.has_ended({WaitFor::event, kStop})) ++asked;
  CHECK(asked < 10);
}

TEST_CASE("a program that polls for a second makes some hundred queries, and waits hardly longer") {
  StreamTimes times(simple_profile());
  times.record_event(kStart, 1);
  launch(times, 1, 1);
  times.record_event(kStop, 1);
  int asked = 0;
  while (!times.has_ended({WaitFor::event, kStop})) ++asked;
  CHECK(asked > 100);
  CHECK(asked < 1000);
  const double waited_s = seconds_until_now(times, 2);
  CHECK(waited_s >= 1);
  CHECK(waited_s < 1.02);
  // The next work is polled from the start.
  launch(times, 1, 20e-6);
  times.record_event(kStop, 1);
  asked = 0;
  while (!times.has_ended({WaitFor::event, kStop})) ++asked;
  CHECK(asked > 10);
}

TEST_CASE("events that were never recorded or are destroyed block nothing") {
  StreamTimes times(simple_profile());
  launch(times, 1, 5);
  CHECK(times.has_ended({WaitFor::event, kStop}));
  times.wait_for_event(kStop, 2);
  times.synchronise({WaitFor::event, kStop});
  CHECK(times.has_ended({WaitFor::stream, 2}));
  times.record_event(kStop, 1);
  times.forget_event(kStop);
  CHECK_FALSE(times.is_recorded(kStop));
}

TEST_CASE("issuing all copies first overlaps work that issuing chunk after chunk does not overlap") {
  CHECK(seconds_of_both(false) == 8);
  CHECK(seconds_of_both(true) == 6);
}

TEST_CASE("a non-blocking stream does not wait for the default stream") {
  for (const bool is_blocking : {true, false}) {
    StreamTimes times(simple_profile());
    times.describe({.stream = 1, .is_blocking = is_blocking});
    times.record_event(kStart, vgpu::kLegacyStream);
    launch(times, vgpu::kLegacyStream, 5);
    copy(times, OperationKind::copy_to_device, 1);
    CHECK(seconds_until_now(times, 1) == (is_blocking ? 6 : 1));
  }
}

TEST_CASE("one stream waits for another's event") {
  StreamTimes times(simple_profile());
  times.record_event(kStart, 2);
  launch(times, 1, 2);
  times.record_event(kStop, 1);
  times.wait_for_event(kStop, 2);
  copy(times, OperationKind::copy_to_device, 2);
  CHECK(seconds_until_now(times, 2) == 3);
}

TEST_CASE("the finished timeline contains the names and sizes of kernels") {
  StreamTimes times(simple_profile());
  launch(times, 3, 1);
  const auto operations = times.finish();
  REQUIRE(operations.size() == 1);
  CHECK(operations[0].name == "vecAdd");
  CHECK(operations[0].stream == 3);
  CHECK(operations[0].end_s == 1);
}

TEST_CASE("mapping device memory takes the host time, and unmapping it waits for the device first") {
  vgpu::Profile profile = simple_profile();
  profile.memory_block_bytes = 1024;
  profile.map_s = 10;
  profile.unmap_s = 20;
  StreamTimes times(profile);
  times.record_event(kStart, 1);
  times.allocate(0x1000, 4096);
  CHECK(seconds_until_now(times, 1) == Approx(10));
  launch(times, 1, 5);
  times.free(0x2000);  // memory of a pool
  CHECK(seconds_until_now(times, 2) == Approx(10));
  times.free(0x1000);
  CHECK(seconds_until_now(times, 2) == Approx(35));
  CHECK(times.host_waits().device == 0);
}

}  // namespace stream_times_test
