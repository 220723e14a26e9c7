// When operations run: a program issues kernels, copies and events to streams, the device has a few engines,
// and the host has a clock of its own. Pure arithmetic; knows no memory and no processes.
//
// Rules (Fermi's, from NVIDIA's "CUDA C/C++ Streams and Concurrency", 2011; later parts have more queues):
// - Operations of one stream run in the order of issue, one at a time.
// - Engines: kernels; one copy engine, or one for each direction; host functions. Copies within the device
// and
//   fills are done by the kernel engine.
// - Each engine takes operations from its hardware queues, a stream always from the same one. An operation
//   starts when it is at the head of its queue, what it depends on has ended, and its engine has room. So an
//   operation that waits holds up everything behind it in its queue, other streams' operations too.
// - Kernels of several streams run at once while the shares of the device that their blocks occupy add up to
// at
//   most 1; each takes as long as it would alone.
// - The legacy default stream waits for all blocking streams and they for it.
// - The host takes Profile::host_call_s to issue an operation, which cannot start before that.
//
// Deterministic: sums, differences and comparisons of doubles, ties decided by the order of issue. Covered by
// tests/model/timeline_test.cpp.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "vgpu/model/operation.hpp"
#include "vgpu/model/profile.hpp"

namespace vgpu {

class Timeline {
 public:
  explicit Timeline(const Profile& profile);

  /// Streams that nobody gives a kind to are blocking.
  void set_kind(StreamId stream, StreamKind kind) { streams_[stream].kind = kind; }
  std::size_t stream_count() const { return streams_.size(); }

  OperationId issue(Operation operation);

  /// The host waits until the operation, all of a stream, everything has ended.
  void wait_for(OperationId operation);
  void wait_for_stream(StreamId stream);
  void wait_for_device();
  void pass_host_time(double seconds) { host_s_ += seconds; }
  double host_s() const { return host_s_; }

  /// When the operation ended; nullopt: it has not, by the host's clock.
  std::optional<double> end_s(OperationId operation);
  bool is_idle(StreamId stream);

  /// Lets everything end. Operations in the order of issue, at most the first kMaxRecorded to end.
  std::vector<TimedOperation> finish();
  static constexpr std::size_t kMaxRecorded = 100'000;

  /// Seconds that a copy takes on its engine.
  double copy_s(OperationKind kind, std::uint64_t bytes, bool is_pageable) const;

 private:
  struct Stream {
    StreamKind kind = StreamKind::blocking;
    OperationId last = kNone;
  };
  struct Pending : TimedOperation {
    std::vector<OperationId> after;  ///< what must have ended
  };
  static constexpr OperationId kNone = ~OperationId{0};
  static constexpr double kNotEnded = -1;

  Engine engine_of(OperationKind kind) const;
  std::vector<OperationId> predecessors(const Operation& operation);
  bool is_ready(const Pending& operation) const;
  bool has_room(const Pending& operation) const;
  void start(Pending& operation);
  bool start_what_can();
  bool end_what_ran();
  bool run_to_next_end(double latest_s);
  void run_until(double time_s);
  void run_until_ended(OperationId operation);

  Profile profile_;
  std::map<StreamId, Stream> streams_;
  std::map<OperationId, Pending> pending_;
  std::vector<OperationId> running_;
  using QueueKey = std::pair<Engine, std::uint32_t>;
  std::map<QueueKey, std::deque<OperationId>> queues_;  ///< not yet started; none is empty
  struct Load {
    double share = 0;
    std::uint32_t operations = 0;
  };
  std::map<Engine, Load> load_;  ///< running now
  std::vector<double> ends_s_;   ///< by id; kNotEnded
  std::vector<TimedOperation> recorded_;
  double now_s_ = 0;  ///< everything before it is decided; never after host_s_
  double host_s_ = 0;
};

/// Of the time that its engines could save by working at once, the part that a run saved: with B the busy
/// times of its engines and S the span, (sum of B − S) / (sum of B − greatest B), between 0 and 1. It is 0
/// when one thing runs after another, and 1 when all takes as long as the busiest engine alone. 0 for one
/// engine.
double overlap_fraction(const std::vector<TimedOperation>& operations);

/// From the issue of the first kernel, copy, fill or host function to the end of the last; 0 when there is
/// none.
double span_s(const std::vector<TimedOperation>& operations);

}  // namespace vgpu
