// What programs learn of modelled time: events, queries, copies of pinned and pageable memory, and overlaps
// between streams. The device takes a second for eight bytes of a copy and nothing to issue.
#include "vgpu/cudart/stream_times.hpp"

#include "catch.hpp"

using vgpu::OperationKind;
using vgpu::cudart::Awaited;
using vgpu::cudart::StreamOperation;
using vgpu::cudart::StreamTimes;

namespace {

vgpu::Profile simple_profile() {
  vgpu::Profile profile = vgpu::lecture_profile();
  profile.host_call_s = 0;
  profile.link_latency_s = 0;
  profile.to_device_bytes_per_s = profile.to_host_bytes_per_s = 8;
  profile.pageable_to_device_bytes_per_s = profile.pageable_to_host_bytes_per_s = 4;
  return profile;
}

StreamOperation copy(OperationKind kind, std::uint32_t stream) {
  StreamOperation operation;
  operation.kind = kind;
  operation.stream = stream;
  operation.size_bytes = 8;
  return operation;
}

void launch(StreamTimes& times, std::uint32_t stream, double seconds) {
  vgpu::LaunchRecord record;
  record.kernel = "vecAdd";
  record.grid = record.block = {1, 1, 1};
  record.time.run_s = seconds;
  record.occupancy.blocks_per_sm = 1;
  times.add_kernel(record, stream);
}

double end_of(StreamTimes& times, std::uint64_t operation) {
  times.wait({Awaited::operation, operation});
  return times.ask({Awaited::operation, operation}).end_s;
}

std::uint64_t record(StreamTimes& times, std::uint32_t stream) {
  return times.add({.kind = OperationKind::event_record, .stream = stream}).number;
}

/// The lecture's loop over two segments in two streams.
double seconds_of_both(bool breadth_first) {
  StreamTimes times(simple_profile());
  const auto up = [&](std::uint32_t stream) {
    times.add(copy(OperationKind::copy_to_device, stream));
    times.add(copy(OperationKind::copy_to_device, stream));
  };
  const auto down = [&](std::uint32_t stream) { times.add(copy(OperationKind::copy_to_host, stream)); };
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
  return end_of(times, record(times, vgpu::kLegacyStream));
}

}  // namespace

TEST_CASE("events take the time of what lies between them in their stream") {
  StreamTimes times(simple_profile());
  const auto start = record(times, 1);
  times.add(copy(OperationKind::copy_to_device, 1));
  launch(times, 1, 3);
  const auto stop = record(times, 1);
  CHECK(end_of(times, stop) - end_of(times, start) == 4);
}

TEST_CASE("pageable copies are slower, and the host waits for what it is told to wait for") {
  StreamTimes times(simple_profile());
  StreamOperation pageable = copy(OperationKind::copy_to_device, 1);
  pageable.is_pageable = pageable.host_waits = true;
  const auto number = times.add(pageable).number;
  const auto state = times.ask({Awaited::operation, number});
  CHECK(state.has_ended);
  CHECK(state.end_s == 2);
}

TEST_CASE("what runs is not ready until the host has waited, or has asked often enough") {
  StreamTimes times(simple_profile());
  launch(times, 1, 1e-5);
  const auto stop = record(times, 1);
  CHECK_FALSE(times.ask({Awaited::operation, stop}).has_ended);
  CHECK_FALSE(times.ask({Awaited::stream, 1}).has_ended);
  CHECK(times.ask({Awaited::stream, 2}).has_ended);
  int asked = 0;
  while (!times.ask({Awaited::operation, stop}).has_ended) ++asked;
  CHECK(asked < 10);
}

TEST_CASE("issuing all copies first overlaps what chunk after chunk does not") {
  CHECK(seconds_of_both(false) == 8);
  CHECK(seconds_of_both(true) == 6);
}

TEST_CASE("a non-blocking stream does not wait for the default stream") {
  for (const bool is_non_blocking : {false, true}) {
    StreamTimes times(simple_profile());
    times.define({.stream = 1, .is_non_blocking = is_non_blocking});
    launch(times, vgpu::kLegacyStream, 5);
    const auto number = times.add(copy(OperationKind::copy_to_device, 1)).number;
    CHECK(end_of(times, number) == (is_non_blocking ? 1 : 6));
  }
}

TEST_CASE("one stream waits for another's event") {
  StreamTimes times(simple_profile());
  launch(times, 1, 2);
  const auto event = record(times, 1);
  times.add({.kind = OperationKind::event_wait, .stream = 2, .event = event});
  const auto number = times.add(copy(OperationKind::copy_to_device, 2)).number;
  CHECK(end_of(times, number) == 3);
}

TEST_CASE("the finished timeline names kernels and their size") {
  StreamTimes times(simple_profile());
  launch(times, 3, 1);
  const auto operations = times.finish();
  REQUIRE(operations.size() == 1);
  CHECK(operations[0].name == "vecAdd");
  CHECK(operations[0].stream == 3);
  CHECK(operations[0].end_s == 1);
}
