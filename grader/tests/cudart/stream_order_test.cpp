// The guaranteed order of work: streams, events, the default stream, waits of the host.
#include "vgpu/cudart/device_side/stream_order.hpp"

#include "catch.hpp"

namespace stream_order_test {

using vgpu::kLegacyStream;
using vgpu::StreamKind;
using vgpu::cudart::StreamOrder;

namespace {

constexpr std::uint64_t kEvent = 7;

/// Whether work in stream 1 must end before work that is issued to stream `second` after `between`.
template <class Between>
bool is_ordered(vgpu::StreamId second, Between between) {
  StreamOrder order;
  order.set_kind(3, StreamKind::non_blocking);
  const auto earlier = order.issue(1);
  between(order);
  order.issue(second);
  return order.is_before_last_of(second, earlier);
}
void nothing(StreamOrder&) {}

}  // namespace

TEST_CASE("work of one stream is ordered, work of two streams is not") {
  CHECK(is_ordered(1, nothing));
  CHECK_FALSE(is_ordered(2, nothing));
}

TEST_CASE("the default stream orders work of blocking streams only") {
  CHECK(is_ordered(kLegacyStream, nothing));
  CHECK(is_ordered(2, [](StreamOrder& order) { order.issue(kLegacyStream); }));
  CHECK_FALSE(is_ordered(3, [](StreamOrder& order) { order.issue(kLegacyStream); }));
}

TEST_CASE("an event orders earlier work of one stream before later work of another") {
  CHECK(is_ordered(2, [](StreamOrder& order) {
    order.record_event(kEvent, 1);
    order.wait_for_event(kEvent, 2);
  }));
  // The event is recorded too early, in the wrong stream, or never.
  CHECK_FALSE(is_ordered(2, [](StreamOrder& order) {
    order.record_event(kEvent, 3);
    order.wait_for_event(kEvent, 2);
  }));
  CHECK_FALSE(is_ordered(2, [](StreamOrder& order) { order.wait_for_event(kEvent, 2); }));
}

TEST_CASE("what the program has waited for in place of a piece of work") {
  using Kind = vgpu::cudart::HostWait::Kind;
  StreamOrder order;
  order.set_kind(1, StreamKind::non_blocking);
  order.finish_stream(2);
  order.record_event(kEvent, 1);
  order.record_event(kEvent + 1, 2);
  const auto work = order.issue(1);
  const auto kind = [&] { return order.host_wait(work).kind; };
  CHECK(kind() == Kind::none);  // the wait was before the work
  order.record_event(kEvent + 2, 1);
  order.wait_for_event(kEvent + 2, 2);
  CHECK(kind() == Kind::stream_waits);
  order.finish_event(kEvent);
  CHECK(kind() == Kind::recorded_before);
  order.finish_event(kEvent + 1);
  CHECK(kind() == Kind::other_event);
  CHECK(order.host_wait(work).of == 2);
  order.finish_event(kEvent + 9);
  CHECK(kind() == Kind::unrecorded);
  order.finish_stream(3);
  CHECK(kind() == Kind::stream);
  CHECK_FALSE(order.is_finished(work));
}

TEST_CASE("what events lack that are meant to order two streams") {
  using vgpu::cudart::EventUse;
  StreamOrder order;
  const auto before = order.issue(2), work = order.issue(1);
  CHECK(order.events_between(work, 2) == EventUse::none);
  order.record_event(kEvent, kLegacyStream);  // the caller's
  CHECK(order.events_between(work, 2) == EventUse::none);
  order.record_event(kEvent, 2);
  CHECK(order.events_between(work, 2) == EventUse::no_wait);
  order.wait_for_event(kEvent, 2);
  CHECK(order.events_between(work, 2) == EventUse::not_recorded);
  order.record_event(kEvent + 1, 1);
  CHECK(order.events_between(work, 2) == EventUse::other_event);
  const auto later = order.issue(1);
  CHECK(order.events_between(later, 2) == EventUse::recorded_before);
  CHECK(order.events_between(before, 1) == EventUse::no_wait);
}

TEST_CASE("order is transitive across streams") {
  CHECK(is_ordered(4, [](StreamOrder& order) {
    order.record_event(kEvent, 1);
    order.wait_for_event(kEvent, 2);
    order.record_event(kEvent + 1, 2);
    order.wait_for_event(kEvent + 1, 4);
  }));
}

TEST_CASE("work that the program waited for precedes all work that it issues later") {
  CHECK(is_ordered(2, [](StreamOrder& order) { order.finish_stream(1); }));
  CHECK(is_ordered(3, [](StreamOrder& order) { order.finish_all(); }));
  CHECK(is_ordered(2, [](StreamOrder& order) { order.finish_stream(kLegacyStream); }));
  CHECK_FALSE(is_ordered(2, [](StreamOrder& order) { order.finish_stream(3); }));
  CHECK(is_ordered(2, [](StreamOrder& order) {
    order.record_event(kEvent, 1);
    order.finish_event(kEvent);
  }));
}

TEST_CASE("the program knows about the end of work that it waited for, directly or indirectly") {
  StreamOrder order;
  const auto first = order.issue(1);
  order.record_event(kEvent, 1);
  order.wait_for_event(kEvent, 2);
  const auto second = order.issue(2);
  const auto third = order.issue(1);
  CHECK_FALSE(order.is_finished(first));
  order.finish_stream(2);
  CHECK(order.is_finished(first));
  CHECK(order.is_finished(second));
  CHECK_FALSE(order.is_finished(third));
}

}  // namespace stream_order_test
