// What must have ended before what: the order that a program enforces between the work of its streams, and
// what the program itself has waited for. Vector clocks, as between the warps of a block
// (check/block_clocks.hpp). The timeline says when work happens to run; this says what may be relied upon.
// Not thread safe. Covered by tests/cudart/stream_order_test.cpp.
#pragma once

#include <cstdint>
#include <map>

#include "vgpu/model/operation.hpp"

namespace vgpu::cudart {

/// One piece of work: the `count`-th of its stream.
struct WorkMoment {
  StreamId stream = kLegacyStream;
  std::uint64_t count = 0;

  friend bool operator==(const WorkMoment&, const WorkMoment&) = default;
};

class StreamOrder {
 public:
  /// Streams that nobody gives a kind to are blocking.
  void set_kind(StreamId stream, StreamKind kind) { streams_[stream].kind = kind; }

  /// Work comes behind all that its stream waits for, and behind what the program has waited for.
  WorkMoment issue(StreamId stream);
  void record_event(std::uint64_t event, StreamId stream);
  void wait_for_event(std::uint64_t event, StreamId stream);
  void forget_event(std::uint64_t event) { events_.erase(event); }

  // The program has waited, or has been told that it is over.
  void finish_all();
  void finish_stream(StreamId stream);
  void finish_event(std::uint64_t event);

  /// The program knows that it has ended.
  bool is_finished(WorkMoment work) const;
  /// It must end before what `stream` got last may begin.
  bool is_before_last_of(StreamId stream, WorkMoment work) const;

 private:
  using Clock = std::map<StreamId, std::uint64_t>;
  struct Stream {
    StreamKind kind = StreamKind::blocking;
    Clock clock;
  };

  static void join(Clock& into, const Clock& other);
  static bool includes(const Clock& clock, WorkMoment work);
  Clock& advance(StreamId stream);

  std::map<StreamId, Stream> streams_;
  std::map<std::uint64_t, Clock> events_;
  Clock host_;
};

}  // namespace vgpu::cudart
