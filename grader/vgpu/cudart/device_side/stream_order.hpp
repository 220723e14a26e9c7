// The order that a program enforces between the work of its streams, and the work that the program itself has
// waited for. Uses vector clocks, as races/block_clocks.hpp does for the warps of a block. The timeline
// models when work happens to run. This class computes the order that is guaranteed. Not thread safe. Covered
// by tests/cudart/stream_order_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "vgpu/model/operation.hpp"

namespace vgpu::cudart {

/// Identifies one piece of work: the `count`-th in its stream, the `number`-th of all streams.
struct WorkMoment {
  StreamId stream = kLegacyStream;
  std::uint64_t count = 0, number = 0;

  friend bool operator==(const WorkMoment&, const WorkMoment&) = default;
};

/// What a program has done with events to order a piece of work and another stream, which is not ordered.
enum class EventUse : std::uint8_t {
  none,             ///< it has recorded no event
  no_wait,          ///< the other stream has waited for no event
  not_recorded,     ///< no event was recorded in the work's stream
  recorded_before,  ///< events were recorded there, but all of them before the work
  other_event,      ///< one was recorded after the work; the other stream has waited for other events
};

/// What the program itself has waited for last, without the end of a piece of work, since it was issued.
struct HostWait {
  enum class Kind : std::uint8_t {
    none,             ///< for nothing
    stream,           ///< for another stream, which does not include the work
    unrecorded,       ///< for an event that was never recorded
    recorded_before,  ///< for an event of the work's stream that was recorded before the work
    other_event,      ///< for an event of another stream
    stream_waits,     ///< it has not: another stream waits for an event after the work
  };
  Kind kind = Kind::none;
  StreamId of = kLegacyStream;  ///< the other stream
};

class StreamOrder {
 public:
  /// Streams are blocking unless this function changes their kind.
  void set_kind(StreamId stream, StreamKind kind) { streams_[stream].kind = kind; }

  /// Adds work to a stream. The work follows everything that its stream waits for, and everything that the
  /// program has waited for.
  WorkMoment issue(StreamId stream);
  void record_event(std::uint64_t event, StreamId stream);
  void wait_for_event(std::uint64_t event, StreamId stream);
  void forget_event(std::uint64_t event) { events_.erase(event); }

  // The program has waited for this work, or a query has shown that the work has ended.
  void finish_all();
  void finish_stream(StreamId stream);
  void finish_event(std::uint64_t event);

  /// Whether the program knows that the work has ended.
  bool is_finished(WorkMoment work) const;
  /// Whether the work must end before the latest work of `stream` can start.
  bool is_before_last_of(StreamId stream, WorkMoment work) const;
  /// Meaningful if `work` is not before the latest work of `later`.
  EventUse events_between(WorkMoment work, StreamId later) const;
  /// Meaningful if `work` is not finished.
  HostWait host_wait(WorkMoment work) const;

 private:
  /// The number of pieces of work of each stream, by its StreamId. Later streams have none.
  using Clock = std::vector<std::uint64_t>;
  struct Stream {
    StreamKind kind = StreamKind::blocking;
    Clock clock;
    bool has_waited = false;                      ///< for an event
    std::optional<std::uint64_t> recorded_after;  ///< pieces of work before the latest event; nullopt: none
  };

  struct Event {
    Clock clock;
    StreamId stream = kLegacyStream;  ///< in which it was recorded
  };
  struct LastWait {
    std::uint64_t issued = 0;  ///< pieces of work of all streams before it; 0: there was none
    HostWait what;             ///< with recorded_before for each event that was recorded
  };

  static void join(Clock& into, const Clock& other);
  static bool includes(const Clock& clock, WorkMoment work);
  Clock& advance(StreamId stream);
  void note_wait(HostWait::Kind kind, StreamId of = kLegacyStream) { last_wait_ = {issued_, {kind, of}}; }

  std::map<StreamId, Stream> streams_;
  std::map<std::uint64_t, Event> events_;
  Clock host_;
  Clock awaited_by_streams_;  ///< work that is ordered before an event for which a stream has waited
  std::uint64_t issued_ = 0;  ///< pieces of work of all streams
  LastWait last_wait_;        ///< of the host
};

}  // namespace vgpu::cudart
