#include "vgpu/cudart/stream_times.hpp"

#include <algorithm>

namespace vgpu::cudart {
namespace {

/// A program may make ever new streams; beyond so many they share their order.
constexpr std::uint32_t kMaxStreams = 4096;
constexpr double kLeastAsking_s = 1e-6;

StreamId bounded(std::uint32_t stream) { return stream % kMaxStreams; }

/// Of the device, while the kernel's blocks are resident.
double share_of(const LaunchRecord& launch, const Profile& profile) {
  const double resident = static_cast<double>(launch.occupancy.blocks_per_sm) * profile.sm_count;
  if (resident < 1) return 1;
  return std::min(1.0, static_cast<double>(launch.grid.count()) / resident);
}

}  // namespace

void StreamTimes::add_kernel(const LaunchRecord& launch, std::uint32_t stream) {
  Operation operation;
  operation.kind = OperationKind::kernel;
  operation.stream = bounded(stream);
  operation.duration_s = launch.time.total_s();
  operation.share = share_of(launch, profile_);
  operation.name = launch.kernel;
  operation.grid = launch.grid;
  operation.block = launch.block;
  timeline_.issue(std::move(operation));
}

OperationNumber StreamTimes::add(const StreamOperation& told) {
  Operation operation;
  operation.kind = told.kind;
  operation.stream = bounded(told.stream);
  operation.bytes = told.size_bytes;
  operation.is_pageable = told.is_pageable;
  operation.event = told.event;
  const bool takes_time = told.kind != OperationKind::event_record &&
                          told.kind != OperationKind::event_wait && told.kind != OperationKind::host_function;
  if (takes_time) operation.duration_s = timeline_.copy_s(told.kind, told.size_bytes, told.is_pageable);
  const OperationId id = timeline_.issue(std::move(operation));
  if (told.host_waits) timeline_.wait_for(id);
  return {id};
}

void StreamTimes::define(const DefineStream& stream) {
  timeline_.set_kind(bounded(stream.stream),
                     stream.is_non_blocking ? StreamKind::non_blocking : StreamKind::blocking);
}

void StreamTimes::wait(const WaitFor& awaited) {
  switch (awaited.what) {
    case Awaited::device:
      return timeline_.wait_for_device();
    case Awaited::stream:
      return timeline_.wait_for_stream(bounded(static_cast<std::uint32_t>(awaited.which)));
    case Awaited::operation:
      return timeline_.wait_for(awaited.which);
  }
}

OperationState StreamTimes::ask(const AskProgress& about) {
  timeline_.pass_host_time(std::max(profile_.host_call_s, kLeastAsking_s));
  if (about.what == Awaited::stream)
    return {timeline_.is_idle(bounded(static_cast<std::uint32_t>(about.which))), 0};
  const auto end = timeline_.end_s(about.which);
  return {end.has_value(), end.value_or(0)};
}

}  // namespace vgpu::cudart
