#include "vgpu/cudart/device_side/stream_times.hpp"

#include <algorithm>
#include <array>

namespace vgpu::cudart {
namespace {

/// A limit on what one program can make the device store.
constexpr std::size_t kMaxEvents = std::size_t{1} << 20U;
/// The least host time per query, even if the profile's host_call_s is 0: a polling loop must make progress.
constexpr double kMinQueryTime_s = 1e-6;
/// The time of a query as a share of that of the queries before it, and thus the largest relative error of
/// the time at which a polling program finds out that work has ended.
constexpr double kPollGrowth = 1.0 / 64;

/// The part of its time in which the kernel uses all of a resource of the device: one that the SMs share, or
/// one that every SM has, such as issue, on average over the SMs.
double busy_share(const KernelTime& time, std::uint64_t blocks, std::uint32_t sms) {
  if (time.run_s <= 0 || blocks == 0) return 0;
  constexpr std::array kShared{TimePart::l2, TimePart::dram, TimePart::atomics};
  double shared_s = 0, of_sm_s = 0;
  for (std::size_t i = 0; i < kTimeParts; ++i) {
    const auto part = static_cast<TimePart>(i);
    if (part == TimePart::latency) continue;  // other kernels can use the time
    const bool is_shared = std::find(kShared.begin(), kShared.end(), part) != kShared.end();
    (is_shared ? shared_s : of_sm_s) = std::max(is_shared ? shared_s : of_sm_s, time[part]);
  }
  // The times of an SM's parts are those of the SM with the most blocks.
  const std::uint64_t of_busiest = (blocks + sms - 1) / sms;
  const double average = static_cast<double>(blocks) / (static_cast<double>(of_busiest) * sms);
  return std::max(shared_s, of_sm_s * average) / time.run_s;
}

/// The share of the device that the kernel occupies: its resident blocks, or the resources that it keeps
/// busy. So kernels that run at the same time do not have the memory's bandwidth, or the SMs' instructions,
/// several times.
double share_of(const LaunchRecord& launch, const Profile& profile) {
  const double resident = static_cast<double>(launch.occupancy.blocks_per_sm) * profile.sm_count;
  if (resident < 1) return 1;
  // The blocks of the grid as a fraction of the blocks that the device can hold at the same time.
  const double blocks = static_cast<double>(launch.grid.count()) / resident;
  const double busy = busy_share(launch.time, launch.grid.count(), profile.sm_count);
  return std::min(1.0, std::max(blocks, busy));
}

}  // namespace

void StreamTimes::describe(const DescribeStream& stream) {
  timeline_.set_kind(bounded_stream(stream.stream),
                     stream.is_blocking ? StreamKind::blocking : StreamKind::non_blocking);
}

Operation StreamTimes::operation(OperationKind kind, std::uint32_t stream) const {
  Operation operation;
  operation.kind = kind;
  operation.stream = bounded_stream(stream);
  return operation;
}

void StreamTimes::add_access(OperationKind kind, std::uint32_t stream, std::uint64_t bytes) {
  if (bytes == 0) return;
  Operation access = operation(kind, stream);
  access.bytes = bytes;
  access.is_access = true;
  access.duration_s = timeline_.copy_s(kind, bytes, true);
  timeline_.issue(std::move(access));
}

OperationId StreamTimes::add_kernel(const LaunchRecord& launch, std::uint32_t stream,
                                    const HostAccess& accessed) {
  add_access(OperationKind::copy_to_device, stream, accessed.read);
  Operation kernel = operation(OperationKind::kernel, stream);
  kernel.duration_s = launch.time.total_s();
  kernel.share = share_of(launch, profile_);
  kernel.name = launch.kernel;
  kernel.grid = launch.grid;
  kernel.block = launch.block;
  const OperationId id = issue_work(std::move(kernel));
  add_access(OperationKind::copy_to_host, stream, accessed.written);
  return id;
}

OperationId StreamTimes::add_copy(OperationKind kind, std::uint32_t stream, std::uint64_t bytes,
                                  bool is_pageable) {
  Operation copy = operation(kind, stream);
  copy.bytes = bytes;
  copy.is_pageable = is_pageable;
  copy.duration_s = timeline_.copy_s(kind, bytes, is_pageable);
  const OperationId id = issue_work(std::move(copy));
  if (is_pageable) timeline_.wait_for(id);
  return id;
}

OperationId StreamTimes::add_device_copy(OperationKind kind, std::uint32_t stream, std::uint64_t bytes,
                                         std::uint64_t dram_bytes) {
  Operation copy = operation(kind, stream);
  copy.bytes = bytes;
  copy.duration_s = timeline_.device_copy_s(dram_bytes);
  return issue_work(std::move(copy));
}

/// Issues a kernel, copy or fill. Waits since the previous work now count (see HostWaits).
OperationId StreamTimes::issue_work(Operation work) {
  // Waits count once work follows them: those at the end of a program cost no time between operations.
  host_waits_.device += waits_since_work_.device;
  host_waits_.stream += waits_since_work_.stream;
  host_waits_.event += waits_since_work_.event;
  waits_since_work_ = {};
  polled_s_ = 0;
  has_worked_ = true;
  return timeline_.issue(std::move(work));
}

void StreamTimes::add_host_function(std::uint32_t stream) {
  timeline_.issue(operation(OperationKind::host_function, stream));
}

void StreamTimes::allocate(std::uint64_t address, std::uint64_t bytes) {
  timeline_.pass_host_time(memory_.allocate_s(address, bytes));
}

void StreamTimes::free(std::uint64_t address) {
  const double unmapping_s = memory_.free_s(address);
  if (unmapping_s == 0) return;
  timeline_.wait_for_device();
  timeline_.pass_host_time(unmapping_s);
}

bool StreamTimes::record_event(std::uint64_t event, std::uint32_t stream) {
  if (events_.size() == kMaxEvents && !is_recorded(event)) return false;
  events_[event] = timeline_.issue(operation(OperationKind::event_record, stream));
  return true;
}

void StreamTimes::wait_for_event(std::uint64_t event, std::uint32_t stream) {
  const auto recorded = events_.find(event);
  // An event that was never recorded counts as completed (CUDA Driver API, "cuStreamWaitEvent").
  if (recorded == events_.end()) return;
  Operation wait = operation(OperationKind::event_wait, stream);
  wait.event = recorded->second;
  timeline_.issue(std::move(wait));
}

void StreamTimes::synchronise(const Synchronise& awaited) {
  const unsigned counts = has_worked_ ? 1 : 0;
  polled_s_ = 0;
  switch (awaited.what) {
    case WaitFor::device:
      waits_since_work_.device += counts;
      return timeline_.wait_for_device();
    case WaitFor::stream:
      waits_since_work_.stream += counts;
      return timeline_.wait_for_stream(bounded_stream(awaited.number));
    case WaitFor::event:
      waits_since_work_.event += counts;
      if (is_recorded(awaited.number)) timeline_.wait_for(events_[awaited.number]);
      return;
  }
}

void StreamTimes::pass_call() { timeline_.pass_host_time(std::max(profile_.host_call_s, kMinQueryTime_s)); }

bool StreamTimes::has_ended(const QueryEnded& about) {
  const double query_s = std::max({profile_.host_call_s, kMinQueryTime_s, polled_s_ * kPollGrowth});
  timeline_.pass_host_time(query_s);
  const bool has_ended =
      about.what == WaitFor::stream
          ? timeline_.is_idle(bounded_stream(about.number))
          : !is_recorded(about.number) || timeline_.end_s(events_[about.number]).has_value();
  polled_s_ = has_ended ? 0 : polled_s_ + query_s;
  return has_ended;
}

std::optional<double> StreamTimes::elapsed_s(std::uint64_t start, std::uint64_t end) {
  pass_call();
  if (!is_recorded(start) || !is_recorded(end)) return std::nullopt;
  const auto first = timeline_.end_s(events_[start]);
  const auto second = timeline_.end_s(events_[end]);
  if (!first || !second) return std::nullopt;
  return *second - *first;
}

}  // namespace vgpu::cudart
