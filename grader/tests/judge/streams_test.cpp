// Tests the diagnosis of races that involve the end of a function or of memory.
#include "judge/streams.hpp"

#include "catch.hpp"

namespace streams_test {

using grader::diagnose_stream_race;
using testing::contains;
using vgpu::cudart::MemoryCall;
using vgpu::cudart::StreamRace;

namespace {

StreamRace race_with(MemoryCall call) {
  StreamRace race;
  race.earlier = {vgpu::OperationKind::kernel, 1, "_Z7productPKfS0_Pfiii"};
  race.earlier.place = {"k.cu", 19, ""};
  race.later.call = call;
  race.later.place = {"k.cu", 20, ""};
  race.memory = vgpu::cudart::MemoryKind::device;
  race.earlier_writes = true;
  race.size_bytes = 64;
  race.allocation = 3;
  return race;
}

}  // namespace

TEST_CASE("work that continues after the function has returned is reported at its launch") {
  const auto found = diagnose_stream_race(race_with(MemoryCall::read_by_caller), {}, "P");
  CHECK(found.code == "WG-R08");
  CHECK(found.what == "`product` in stream 1 might still write `P` after the function has returned");
  CHECK(found.first == "64 bytes of allocation 3");
  CHECK(found.where == grader::SourceLocation{"k.cu", 19});
  CHECK_THAT(found.likely_cause, contains("stream 1 was created with cudaStreamNonBlocking"));
  CHECK_THAT(found.next_step, contains("cudaStreamSynchronize"));
  CHECK_THAT(diagnose_stream_race(race_with(MemoryCall::read_by_caller)).what, contains("write a result"));
}

TEST_CASE("events that do not order two streams are explained") {
  using vgpu::cudart::EventUse;
  StreamRace race = race_with(MemoryCall::none);
  race.later = {vgpu::OperationKind::copy_to_host, 2};
  const auto cause = [&](EventUse events) {
    race.events = events;
    return diagnose_stream_race(race).likely_cause;
  };
  CHECK_THAT(cause(EventUse::none), contains("two streams share a buffer"));
  CHECK_THAT(cause(EventUse::no_wait), contains("stream 2 waits for no event"));
  CHECK_THAT(cause(EventUse::not_recorded), contains("none of them was recorded in stream 1"));
  CHECK_THAT(cause(EventUse::recorded_before), contains("before `product` in stream 1 was issued"));
  CHECK_THAT(cause(EventUse::other_event), contains("stream 2 waits for another one"));
  CHECK_THAT(diagnose_stream_race(race).next_step, contains("record an event in stream 1 after `product`"));
}

TEST_CASE("waits for other work than that which uses the memory are explained") {
  using Kind = vgpu::cudart::HostWait::Kind;
  StreamRace race = race_with(MemoryCall::none);
  race.by_host = true;
  race.place = {"k.cu", 30, ""};
  const auto cause = [&](Kind kind) {
    race.host_wait = {kind, 2};
    return diagnose_stream_race(race).likely_cause;
  };
  CHECK_THAT(cause(Kind::none), contains("does not wait for the kernel"));
  CHECK_THAT(cause(Kind::stream), contains("has waited for stream 2, and not for `product` in stream 1"));
  CHECK_THAT(cause(Kind::unrecorded), contains("not recorded before: such a wait returns immediately"));
  CHECK_THAT(cause(Kind::recorded_before), contains("recorded before `product` in stream 1 was issued"));
  CHECK_THAT(cause(Kind::other_event), contains("was recorded in stream 2"));
  CHECK_THAT(cause(Kind::stream_waits), contains("lets a stream wait") && contains("continues immediately"));
  race.in_host_function = true;
  CHECK_THAT(cause(Kind::stream), !contains("has waited for"));
}

TEST_CASE("a host function that uses memory of another stream, or whose data have changed") {
  StreamRace race = race_with(MemoryCall::none);
  race.by_host = race.in_host_function = true;
  CHECK_THAT(diagnose_stream_race(race).likely_cause, contains("what its argument points to has changed"));
}

TEST_CASE("work in the default stream lacks the argument that names its stream") {
  StreamRace race = race_with(MemoryCall::none);
  race.later = {vgpu::OperationKind::copy_to_host, 2};
  CHECK_THAT(diagnose_stream_race(race).likely_cause, contains("two streams share a buffer"));
  race.earlier.stream = vgpu::kLegacyStream;
  const auto launch = diagnose_stream_race(race);
  CHECK_THAT(launch.likely_cause,
             contains("the launch of `product` names no stream") && contains("does not wait for stream 2"));
  CHECK_THAT(launch.next_step, contains("product<<<grid, block, 0, stream>>>"));
  race.earlier.stream = 1;
  race.later.stream = vgpu::kLegacyStream;
  CHECK_THAT(diagnose_stream_race(race).next_step, contains("cudaMemcpyAsync"));
  race.later.call = MemoryCall::free;
  CHECK_THAT(diagnose_stream_race(race).likely_cause, contains("the order of their own stream"));
}

TEST_CASE("copies of two streams to one place in host memory bring parts that overlap") {
  StreamRace race = race_with(MemoryCall::none);
  race.earlier.kind = vgpu::OperationKind::copy_to_host;
  race.later = {vgpu::OperationKind::copy_to_host, 2};
  race.later_writes = true;
  CHECK_THAT(diagnose_stream_race(race).likely_cause, contains("share a buffer"));
  race.allocation = 0;
  CHECK_THAT(diagnose_stream_race(race).likely_cause, contains("the parts of the result"));
  CHECK_THAT(diagnose_stream_race(race).next_step, contains("the step of the loop"));
  race.later_writes = false;
  CHECK_THAT(diagnose_stream_race(race).likely_cause, contains("share a buffer"));
}

TEST_CASE("cudaFree that does not wait is reported at its call") {
  const auto found = diagnose_stream_race(race_with(MemoryCall::free_by_host));
  CHECK(found.what == "host code frees memory that `product` in stream 1 might still write");
  CHECK(found.first == "64 bytes of device memory; `product` in stream 1 was issued at k.cu:19");
  CHECK(found.where == grader::SourceLocation{"k.cu", 20});
  CHECK_THAT(found.likely_cause, contains("cudaMallocAsync waits for nothing"));
  CHECK_THAT(found.next_step, contains("cudaFreeAsync"));
}

}  // namespace streams_test
