// The modelled times of one program's work: when each operation of each stream runs on the model's timeline.
// The device executes the work immediately, in the order of the requests. This class only computes its time.
// Not thread safe. Covered by tests/cudart/stream_times_test.cpp.
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

/// Limits the number of streams, because a program can create any number of them. Streams beyond the limit
/// share their order with others.
constexpr StreamId bounded_stream(std::uint64_t stream) { return static_cast<StreamId>(stream % 4096); }

struct HostAccess {
  std::uint64_t read = 0, written = 0;  ///< bytes
};

class StreamTimes {
 public:
  explicit StreamTimes(const Profile& profile) : profile_(profile), timeline_(profile), memory_(profile) {}

  void describe(const DescribeStream& stream);

  // Each of these returns the number of the operation.
  /// `accessed`: bytes of the host's memory (mapped, managed) that the kernel reads and writes itself. They
  /// cross the link before and after the kernel, at the speed of pageable copies.
  OperationId add_kernel(const LaunchRecord& launch, std::uint32_t stream, const HostAccess& accessed = {});
  /// Adds a copy or fill. The host waits for copies of pageable memory.
  OperationId add_copy(OperationKind kind, std::uint32_t stream, std::uint64_t bytes,
                       bool is_pageable = false);
  /// Adds a copy within the device or a fill that moves `dram_bytes` of DRAM, read and written.
  OperationId add_device_copy(OperationKind kind, std::uint32_t stream, std::uint64_t bytes,
                              std::uint64_t dram_bytes);
  void add_host_function(std::uint32_t stream);
  // The host issues all work of a graph with one call.
  void begin_graph() { timeline_.begin_batch(); }
  void end_graph() { timeline_.end_batch(); }
  // Device memory outside of pools. Before unmapping memory, the host waits for the device.
  void allocate(std::uint64_t address, std::uint64_t bytes);
  void free(std::uint64_t address);

  // Events have the client's numbers. Returns false if too many events have been recorded.
  bool record_event(std::uint64_t event, std::uint32_t stream);
  void wait_for_event(std::uint64_t event, std::uint32_t stream);  ///< the stream waits, not the host
  void forget_event(std::uint64_t event) { events_.erase(event); }
  void forget_events() { events_.clear(); }
  bool is_recorded(std::uint64_t event) const { return events_.count(event) != 0; }
  std::size_t recorded_events() const { return events_.size(); }

  /// The host waits for a stream, an event or the device.
  void synchronise(const Synchronise& awaited);
  /// Waits that the program made between two kernels, copies or fills.
  const HostWaits& host_waits() const { return host_waits_; }
  // A query takes host time, so that a program that polls in a loop eventually finishes. Repeated queries
  // take longer: a program that polls for a second must not make a million of them.
  bool has_ended(const QueryEnded& about);
  /// The time between two recorded events; nullopt if one of them has not occurred yet.
  std::optional<double> elapsed_s(std::uint64_t start, std::uint64_t end);

  /// The duration of a copy within the device or a fill, without waiting for other work.
  double device_copy_s(std::uint64_t dram_bytes) const { return timeline_.device_copy_s(dram_bytes); }

  /// Completes all work and returns the timeline.
  std::vector<TimedOperation> finish() { return timeline_.finish(); }

 private:
  Operation operation(OperationKind kind, std::uint32_t stream) const;
  OperationId issue_work(Operation work);
  void add_access(OperationKind kind, std::uint32_t stream, std::uint64_t bytes);
  void pass_call();

  Profile profile_;
  Timeline timeline_;
  MappedMemory memory_;
  std::map<std::uint64_t, OperationId> events_;  ///< the latest record of each event
  HostWaits host_waits_;
  HostWaits waits_since_work_;
  bool has_worked_ = false;
  double polled_s_ = 0;  ///< of queries since the latest work or wait, all of which found unfinished work
};

}  // namespace vgpu::cudart
