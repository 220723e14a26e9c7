// Times of operations in streams, derived by hand. Unless stated otherwise, one unit of work takes a second,
// the host takes no time to issue, and the device has one copy engine and one hardware queue for each engine.
#include "vgpu/model/timeline.hpp"

#include "catch.hpp"

using vgpu::Engine;
using vgpu::kLegacyStream;
using vgpu::OperationKind;
using vgpu::StreamKind;
using vgpu::TimedOperation;
using vgpu::Timeline;

namespace {

constexpr auto kKernel = OperationKind::kernel;
constexpr auto kUp = OperationKind::copy_to_device;
constexpr auto kDown = OperationKind::copy_to_host;

vgpu::Profile simple_profile() {
  vgpu::Profile profile = vgpu::lecture_profile();
  profile.host_call_s = 0;
  return profile;
}

vgpu::Profile with_two_copy_engines() {
  vgpu::Profile profile = simple_profile();
  profile.async_engine_count = 2;
  return profile;
}

vgpu::OperationId issue(Timeline& timeline, OperationKind kind, vgpu::StreamId stream, double duration_s = 1,
                        double share = 1) {
  vgpu::Operation operation;
  operation.kind = kind;
  operation.stream = stream;
  operation.duration_s = duration_s;
  operation.share = share;
  return timeline.issue(operation);
}

vgpu::OperationId wait_for_event(Timeline& timeline, vgpu::StreamId stream, vgpu::OperationId event) {
  vgpu::Operation operation;
  operation.kind = OperationKind::event_wait;
  operation.stream = stream;
  operation.event = event;
  return timeline.issue(operation);
}

std::vector<double> starts(Timeline& timeline) {
  std::vector<double> all;
  for (const TimedOperation& operation : timeline.finish()) all.push_back(operation.start_s);
  return all;
}

double end_of_all(Timeline& timeline) {
  timeline.wait_for_device();
  return timeline.host_s();
}

/// The lecture's vector addition: each chunk copies A and B up, adds, copies C down.
double depth_first(Timeline timeline, int chunks, unsigned streams) {
  for (int chunk = 0; chunk < chunks; ++chunk) {
    const unsigned stream = 1 + static_cast<unsigned>(chunk) % streams;
    for (const auto kind : {kUp, kUp, kKernel, kDown}) issue(timeline, kind, stream);
  }
  return end_of_all(timeline);
}

double breadth_first(Timeline timeline, int chunks, unsigned streams) {
  for (int first = 0; first < chunks; first += static_cast<int>(streams)) {
    for (unsigned stream = 1; stream <= streams; ++stream) {
      issue(timeline, kUp, stream);
      issue(timeline, kUp, stream);
    }
    for (unsigned stream = 1; stream <= streams; ++stream) issue(timeline, kKernel, stream);
    for (unsigned stream = 1; stream <= streams; ++stream) issue(timeline, kDown, stream);
  }
  return end_of_all(timeline);
}

}  // namespace

TEST_CASE("operations of one stream run one after another") {
  Timeline timeline(simple_profile());
  issue(timeline, kUp, 1, 2);
  issue(timeline, kKernel, 1, 3);
  issue(timeline, kDown, 1, 4);
  CHECK(starts(timeline) == std::vector<double>{0, 2, 5});
  CHECK(end_of_all(timeline) == 9);
}

TEST_CASE("a copy and a kernel of different streams overlap") {
  Timeline timeline(simple_profile());
  issue(timeline, kUp, 1);
  issue(timeline, kKernel, 2);
  CHECK(starts(timeline) == std::vector<double>{0, 0});
}

TEST_CASE("depth-first issue: with one copy engine the copy down delays the next chunk's copies") {
  // Copy engine: A0 B0 | waits for K0 | C0 A1 B1 | waits for K1 | C1. Nothing overlaps.
  Timeline timeline(simple_profile());
  for (const unsigned stream : {1U, 2U})
    for (const auto kind : {kUp, kUp, kKernel, kDown}) issue(timeline, kind, stream);
  CHECK(starts(timeline) == std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(end_of_all(timeline) == 8);
}

TEST_CASE("breadth-first issue: kernels overlap with the other chunk's copies") {
  // Copy engine: A0 B0 A1 B1 C0 C1; kernels: K0 at 2, K1 at 4, at the same time as A1 and C0.
  Timeline timeline(simple_profile());
  for (const unsigned stream : {1U, 2U}) {
    issue(timeline, kUp, stream);
    issue(timeline, kUp, stream);
  }
  issue(timeline, kKernel, 1);
  issue(timeline, kKernel, 2);
  issue(timeline, kDown, 1);
  issue(timeline, kDown, 2);
  CHECK(starts(timeline) == std::vector<double>{0, 1, 2, 3, 2, 4, 4, 5});
  CHECK(end_of_all(timeline) == 6);
}

TEST_CASE("the lecture's orders differ with one copy engine and agree with two") {
  const Timeline one(simple_profile());
  CHECK(depth_first(one, 4, 1) == 16);
  CHECK(depth_first(one, 4, 2) == 16);
  CHECK(breadth_first(one, 4, 2) == 12);
  const Timeline two(with_two_copy_engines());
  CHECK(depth_first(two, 4, 2) == 10);  // eight copies up without a gap, then K3 and C3
  CHECK(breadth_first(two, 4, 2) == 10);
}

TEST_CASE("with separate hardware queues, streams do not delay each other") {
  vgpu::Profile profile = simple_profile();
  profile.hardware_queues = 8;
  // Depth-first, copy engine: A0 B0 A1, then C0, which was issued before B1, then B1, and C1 after K1.
  CHECK(depth_first(Timeline(profile), 2, 2) == 7);
  CHECK(breadth_first(Timeline(profile), 2, 2) == 6);
}

TEST_CASE("kernels overlap while their shares of the device add up to at most one") {
  Timeline timeline(simple_profile());
  issue(timeline, kKernel, 1, 2, 0.5);
  issue(timeline, kKernel, 2, 1, 0.25);
  issue(timeline, kKernel, 3, 1, 0.5);   // waits for the second's end: 0.5 + 0.25 + 0.5 > 1
  issue(timeline, kKernel, 4, 1, 0.01);  // would fit, but follows it in the queue
  CHECK(starts(timeline) == std::vector<double>{0, 0, 1, 2});
}

TEST_CASE(
    "kernels that run at the same time save the time for which they do, and exactly nothing otherwise") {
  Timeline timeline(simple_profile());
  issue(timeline, kKernel, 1, 0.1, 0.5);
  issue(timeline, kKernel, 1, 0.2, 0.5);
  CHECK(vgpu::saved_by_concurrent_kernels_s(timeline.finish()) == 0);
  issue(timeline, kKernel, 1, 2, 0.5);
  issue(timeline, kKernel, 2, 1, 0.5);
  issue(timeline, kUp, 3, 2);
  CHECK(vgpu::saved_by_concurrent_kernels_s(timeline.finish()) == Approx(1));
}

TEST_CASE("a host function that waits for its stream does not delay those of other streams") {
  Timeline timeline(with_two_copy_engines());
  issue(timeline, kKernel, 1, 3);
  issue(timeline, OperationKind::host_function, 1, 0);
  issue(timeline, OperationKind::host_function, 2, 0);
  issue(timeline, kUp, 2, 1);
  CHECK(starts(timeline) == std::vector<double>{0, 3, 0, 0});
}

TEST_CASE("no more kernels overlap than the device allows") {
  vgpu::Profile profile = simple_profile();
  profile.max_concurrent_kernels = 2;
  Timeline timeline(profile);
  for (const unsigned stream : {1U, 2U, 3U}) issue(timeline, kKernel, stream, 1, 0.1);
  CHECK(starts(timeline) == std::vector<double>{0, 0, 1});
}

TEST_CASE("the legacy default stream waits for blocking streams and they for it") {
  Timeline timeline(simple_profile());
  timeline.set_kind(2, StreamKind::non_blocking);
  issue(timeline, kKernel, 1, 2, 0.1);
  issue(timeline, kKernel, kLegacyStream, 2, 0.1);  // after stream 1
  issue(timeline, kKernel, 1, 2, 0.1);              // after the legacy stream
  issue(timeline, kUp, 2, 1);                       // waits for no stream
  CHECK(starts(timeline) == std::vector<double>{0, 2, 4, 0});
}

TEST_CASE("a wait for the legacy default stream, or a query, includes blocking streams and no others") {
  Timeline timeline(simple_profile());
  timeline.set_kind(2, StreamKind::non_blocking);
  issue(timeline, kKernel, 1, 2, 0.1);
  issue(timeline, kKernel, 2, 5, 0.1);
  CHECK_FALSE(timeline.is_idle(kLegacyStream));
  timeline.wait_for_stream(kLegacyStream);
  CHECK(timeline.host_s() == 2);
  CHECK(timeline.is_idle(kLegacyStream));
  CHECK_FALSE(timeline.is_idle(2));
}

TEST_CASE("after a wait, work starts without waiting for the other streams") {
  Timeline timeline(simple_profile());
  issue(timeline, kUp, 1, 2);
  issue(timeline, kKernel, 2, 5, 0.1);
  timeline.wait_for_stream(1);
  issue(timeline, kUp, 1, 1);
  CHECK(starts(timeline) == std::vector<double>{0, 0, 2});
}

TEST_CASE("an event orders streams, and one that is recorded after the wait has no effect") {
  Timeline timeline(simple_profile());
  issue(timeline, kUp, 1, 3);
  const auto event = issue(timeline, OperationKind::event_record, 1, 0);
  issue(timeline, kUp, 1, 5);
  wait_for_event(timeline, 2, event);
  issue(timeline, kKernel, 2, 1);
  const auto operations = timeline.finish();
  CHECK(operations[1].end_s == 3);
  CHECK(operations[1].engine == Engine::none);
  CHECK(operations[4].start_s == 3);
}

TEST_CASE("waiting for an event that was never recorded returns immediately") {
  Timeline timeline(simple_profile());
  wait_for_event(timeline, 1, 1000);
  issue(timeline, kKernel, 1);
  CHECK(end_of_all(timeline) == 1);
}

TEST_CASE("the host's clock advances when it issues and when it waits, not during operations") {
  vgpu::Profile profile = simple_profile();
  profile.host_call_s = 0.5;
  Timeline timeline(profile);
  const auto first = issue(timeline, kKernel, 1, 2);
  CHECK(timeline.host_s() == 0.5);
  CHECK_FALSE(timeline.end_s(first).has_value());
  CHECK_FALSE(timeline.is_idle(1));
  CHECK(timeline.is_idle(7));
  timeline.wait_for_stream(1);
  CHECK(timeline.host_s() == 2.5);
  CHECK(timeline.end_s(first).value() == 2.5);
  timeline.pass_host_time(10);
  issue(timeline, kKernel, 2, 1);
  timeline.wait_for_device();
  CHECK(timeline.host_s() == 14);
  CHECK(timeline.finish()[1].start_s == 13);
  CHECK(timeline.is_idle(2));
}

TEST_CASE("a later issue never changes the times of earlier operations") {
  // The second copy is issued while the first runs; the third only after a wait.
  vgpu::Profile profile = simple_profile();
  profile.hardware_queues = 4;
  profile.host_call_s = 1;
  Timeline timeline(profile);
  issue(timeline, kUp, 1, 10);                         // runs 1..11
  const auto kernel = issue(timeline, kKernel, 2, 3);  // runs 2..5
  timeline.wait_for(kernel);
  issue(timeline, kUp, 2, 1);  // issued at 6, runs at 11
  issue(timeline, kUp, 3, 1);  // issued at 7, runs at 12
  CHECK(starts(timeline) == std::vector<double>{1, 2, 11, 12});
}

TEST_CASE("copies take latency and bytes over bandwidth, and pageable memory is slower") {
  vgpu::Profile profile = simple_profile();
  profile.link_latency_s = 1;
  profile.to_device_bytes_per_s = 8;
  profile.to_host_bytes_per_s = 4;
  profile.pageable_to_device_bytes_per_s = 2;
  profile.pageable_to_host_bytes_per_s = 1;
  profile.dram_bytes_per_s = 16;
  const Timeline timeline(profile);
  CHECK(timeline.copy_s(kUp, 16, false) == 3);
  CHECK(timeline.copy_s(kDown, 16, false) == 5);
  CHECK(timeline.copy_s(kUp, 16, true) == 9);
  CHECK(timeline.copy_s(kDown, 16, true) == 17);
  CHECK(timeline.copy_s(OperationKind::copy_on_device, 16, false) == 2);  // read and written
  CHECK(timeline.copy_s(OperationKind::fill, 16, false) == 1);
  CHECK(timeline.device_copy_s(64) == 4);
}

TEST_CASE("a hundred thousand operations without a wait take little time to compute") {
  Timeline timeline(simple_profile());
  for (int i = 0; i < 100'000; ++i) issue(timeline, i % 3 == 0 ? kUp : kKernel, 1 + i % 4, 1);
  CHECK(end_of_all(timeline) > 0);
  CHECK(timeline.finish().size() == Timeline::kMaxRecorded);
}
