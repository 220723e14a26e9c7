// The times of what one program asks of the device: which operation of which stream runs when, on the model's
// timeline. The work itself is done at once, in the order of the requests; only its time is decided here. Not
// thread safe. Covered by tests/cudart/stream_times_test.cpp.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "vgpu/cudart/device_side/server.hpp"
#include "vgpu/cudart/protocol/commands.hpp"
#include "vgpu/model/mapped_memory.hpp"
#include "vgpu/model/timeline.hpp"
#include "vgpu/run/device.hpp"

namespace vgpu::cudart {

/// A program may make ever new streams; beyond so many they share their order.
constexpr StreamId bounded_stream(std::uint64_t stream) { return static_cast<StreamId>(stream % 4096); }

class StreamTimes {
 public:
  explicit StreamTimes(const Profile& profile) : profile_(profile), timeline_(profile), memory_(profile) {}

  void describe(const DescribeStream& stream);

  void add_kernel(const LaunchRecord& launch, std::uint32_t stream);
  /// A copy or fill. Copies of pageable memory hold up the host.
  void add_copy(OperationKind kind, std::uint32_t stream, std::uint64_t bytes, bool is_pageable = false);
  void add_host_function(std::uint32_t stream);
  // Device memory that no pool keeps. What has to be unmapped waits for the device.
  void allocate(std::uint64_t address, std::uint64_t bytes);
  void free(std::uint64_t address);

  // Events have the program's numbers. False: too many have been recorded.
  bool record_event(std::uint64_t event, std::uint32_t stream);
  void wait_for_event(std::uint64_t event, std::uint32_t stream);  ///< in the stream
  void forget_event(std::uint64_t event) { events_.erase(event); }
  void forget_events() { events_.clear(); }
  bool is_recorded(std::uint64_t event) const { return events_.count(event) != 0; }

  /// The host waits.
  void synchronise(const Synchronise& awaited);
  /// Waits so far between two kernels, copies or fills.
  const HostWaits& host_waits() const { return host_waits_; }
  // Asking takes the host time, so that a program that asks again and again comes to an end.
  bool has_ended(const QueryEnded& about);
  /// Between two recorded events; nullopt: one of them has not happened.
  std::optional<double> elapsed_s(std::uint64_t start, std::uint64_t end);

  /// Lets everything end.
  std::vector<TimedOperation> finish() { return timeline_.finish(); }

 private:
  Operation operation(OperationKind kind, std::uint32_t stream) const;
  OperationId issue_work(Operation work);
  void pass_call();

  Profile profile_;
  Timeline timeline_;
  MappedMemory memory_;
  std::map<std::uint64_t, OperationId> events_;  ///< the newest record of each
  HostWaits host_waits_;
  HostWaits waits_since_work_;
  bool has_worked_ = false;
};

}  // namespace vgpu::cudart
