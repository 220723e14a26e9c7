// The schedule of operations: a program issues kernels, copies and events to streams, the device has a few
// engines, and the host has its own clock. Pure arithmetic, without memory and processes.
//
// Rules (Fermi's, from NVIDIA's "CUDA C/C++ Streams and Concurrency", 2011; later parts have more queues):
// - Operations of one stream run in the order of issue, one at a time.
// - Engines: kernels; one copy engine, or one per direction; host functions. The kernel engine also executes
//   copies within the device and fills.
// - Each engine takes operations from its hardware queues, each stream has a fixed queue. An operation
//   starts when it is at the head of its queue, its predecessors have ended, and its engine has room. So a
//   waiting operation blocks all later operations in its queue, those of other streams included.
// - Kernels of several streams run at the same time while the shares of the device that they occupy, by
//   their blocks or by what these keep busy, add up to at most 1; each takes as long as it would alone.
// - The legacy default stream waits for all blocking streams, and they wait for it.
// - The host takes Profile::host_call_s to issue an operation or a batch of them, which cannot start before
// that.
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

  /// Streams are blocking unless set otherwise.
  void set_kind(StreamId stream, StreamKind kind) { streams_[stream].kind = kind; }
  std::size_t stream_count() const { return streams_.size(); }

  OperationId issue(Operation operation);
  // The operations between these two are issued by a single call.
  void begin_batch();
  void end_batch() { is_batch_ = false; }

  /// The host waits until the operation, all operations of a stream, or all operations have ended. A wait for
  /// the legacy default stream includes all blocking streams.
  void wait_for(OperationId operation);
  void wait_for_stream(StreamId stream);
  void wait_for_device();
  void pass_host_time(double seconds) { host_s_ += seconds; }
  double host_s() const { return host_s_; }

  /// The time at which the operation ended; nullopt if it has not ended by the host's clock.
  std::optional<double> end_s(OperationId operation);
  bool is_idle(StreamId stream);

  /// Waits for all operations. Returns them in the order of issue, only the kMaxRecorded that ended first.
  std::vector<TimedOperation> finish();
  static constexpr std::size_t kMaxRecorded = 100'000;

  /// Seconds that a copy within the device or a fill takes that reads and writes so many bytes of DRAM.
  double device_copy_s(std::uint64_t dram_bytes) const;
  /// Seconds that a copy takes on its engine.
  double copy_s(OperationKind kind, std::uint64_t bytes, bool is_pageable) const;

 private:
  struct Stream {
    StreamKind kind = StreamKind::blocking;
    OperationId last = kNone;
  };
  struct Pending : TimedOperation {
    std::vector<OperationId> after;  ///< operations that must have ended
  };
  static constexpr OperationId kNone = ~OperationId{0};
  static constexpr double kNotEnded = -1;

  Engine engine_of(OperationKind kind) const;
  std::vector<OperationId> last_of(StreamId stream) const;
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
  std::map<Engine, Load> load_;  ///< load of the operations that run now
  std::vector<double> ends_s_;   ///< by id; kNotEnded
  std::vector<TimedOperation> recorded_;
  double now_s_ = 0;  ///< all events before it are decided
  double host_s_ = 0;
  bool is_batch_ = false;
};

/// The fraction of the possible saving by parallel engines that a run achieved: with B the busy times of its
/// engines and S the span, (sum of B − S) / (sum of B − greatest B), between 0 and 1. It is 0 if operations
/// run one after another or on one engine only, and 1 if the run takes as long as its busiest engine alone.
/// Operations that are not useful, and accesses to the host's memory, are part of S only.
double overlap_fraction(const std::vector<TimedOperation>& operations);

/// The time in which at least one useful kernel runs.
double useful_kernel_s(const std::vector<TimedOperation>& operations);

/// The time that kernels save by running at the same time as other kernels: the sum of their times, minus the
/// time in which at least one of them runs. Exactly 0 if no two run at the same time.
double saved_by_concurrent_kernels_s(const std::vector<TimedOperation>& operations);

/// From the issue of the first kernel, copy, fill or host function to the end of the last; 0 if there is
/// none.
double span_s(const std::vector<TimedOperation>& operations);

}  // namespace vgpu
