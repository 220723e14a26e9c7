#include "vgpu/cudart/device_side/stream_order.hpp"

#include <algorithm>

namespace vgpu::cudart {

void StreamOrder::join(Clock& into, const Clock& other) {
  if (into.size() < other.size()) into.resize(other.size());
  std::transform(other.begin(), other.end(), into.begin(), into.begin(),
                 [](std::uint64_t theirs, std::uint64_t own) { return std::max(theirs, own); });
}

bool StreamOrder::includes(const Clock& clock, WorkMoment work) {
  return work.stream < clock.size() && clock[work.stream] >= work.count;
}

/// Adds to the stream's clock everything that its next work waits for: the work that the host has waited for
/// and the implicit synchronisation of the legacy default stream (CUDA C++ Programming Guide, "Implicit
/// Synchronization"). It waits for all blocking streams, and they wait for it.
StreamOrder::Clock& StreamOrder::advance(StreamId stream) {
  Stream& own = streams_[stream];
  join(own.clock, host_);
  if (stream == kLegacyStream) {
    for (const auto& [id, other] : streams_)
      if (other.kind == StreamKind::blocking && id != stream) join(own.clock, other.clock);
  } else if (own.kind == StreamKind::blocking) {
    join(own.clock, streams_[kLegacyStream].clock);
  }
  return own.clock;
}

WorkMoment StreamOrder::issue(StreamId stream) {
  Clock& clock = advance(stream);
  if (clock.size() <= stream) clock.resize(stream + 1);
  return {stream, ++clock[stream], ++issued_};
}

void StreamOrder::record_event(std::uint64_t event, StreamId stream) {
  events_[event] = {advance(stream), stream};
  const Clock& clock = events_[event].clock;
  streams_[stream].recorded_after = stream < clock.size() ? clock[stream] : 0;
}

void StreamOrder::wait_for_event(std::uint64_t event, StreamId stream) {
  const auto found = events_.find(event);
  if (found == events_.end()) return;
  join(advance(stream), found->second.clock);
  join(awaited_by_streams_, found->second.clock);
  streams_[stream].has_waited = true;
}

void StreamOrder::finish_all() {
  for (const auto& [id, stream] : streams_) join(host_, stream.clock);
}

void StreamOrder::finish_stream(StreamId stream) {
  join(host_, advance(stream));
  note_wait(HostWait::Kind::stream, stream);
}

void StreamOrder::finish_event(std::uint64_t event) {
  const auto found = events_.find(event);
  if (found == events_.end()) return note_wait(HostWait::Kind::unrecorded);
  join(host_, found->second.clock);
  note_wait(HostWait::Kind::recorded_before, found->second.stream);
}

bool StreamOrder::is_finished(WorkMoment work) const { return includes(host_, work); }

bool StreamOrder::is_before_last_of(StreamId stream, WorkMoment work) const {
  const auto found = streams_.find(stream);
  return found != streams_.end() && includes(found->second.clock, work);
}

EventUse StreamOrder::events_between(WorkMoment work, StreamId later) const {
  const auto waiting = streams_.find(later), working = streams_.find(work.stream);
  const bool has_waited = waiting != streams_.end() && waiting->second.has_waited;
  // The caller of the program can have recorded events in the default stream.
  const bool is_recorded = std::any_of(streams_.begin(), streams_.end(), [](const auto& one) {
    return one.first != kLegacyStream && one.second.recorded_after;
  });
  if (!has_waited) return is_recorded ? EventUse::no_wait : EventUse::none;
  const auto recorded_after = working == streams_.end() ? std::nullopt : working->second.recorded_after;
  if (!recorded_after) return EventUse::not_recorded;
  return *recorded_after < work.count ? EventUse::recorded_before : EventUse::other_event;
}

HostWait StreamOrder::host_wait(WorkMoment work) const {
  using Kind = HostWait::Kind;
  if (last_wait_.issued >= work.number && last_wait_.issued > 0) {
    const auto [kind, of] = last_wait_.what;
    return {kind == Kind::recorded_before && of != work.stream ? Kind::other_event : kind, of};
  }
  return {includes(awaited_by_streams_, work) ? Kind::stream_waits : Kind::none};
}

}  // namespace vgpu::cudart
