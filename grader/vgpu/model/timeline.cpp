#include "vgpu/model/timeline.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

namespace vgpu {
namespace {

constexpr double kNever = std::numeric_limits<double>::max();
/// Shares of a device are sums of quotients: up to this value an excess over 1 is rounding.
constexpr double kFullShare = 1.0 + 1e-9;

}  // namespace

Timeline::Timeline(const Profile& profile) : profile_(profile) { streams_[kLegacyStream]; }

Engine Timeline::engine_of(OperationKind kind) const {
  // With a single engine, or a link of one direction at a time, copies of both directions take turns.
  const bool two_engines = profile_.async_engine_count >= 2 && profile_.link_is_full_duplex;
  switch (kind) {
    case OperationKind::kernel:
    case OperationKind::copy_on_device:
    case OperationKind::fill:
      return Engine::kernels;
    case OperationKind::copy_to_device:
      return Engine::copy;
    case OperationKind::copy_to_host:
      return two_engines ? Engine::copy_back : Engine::copy;
    case OperationKind::host_function:
      return Engine::host;
    case OperationKind::event_record:
    case OperationKind::event_wait:
      return Engine::none;
  }
  return Engine::none;
}

double Timeline::device_copy_s(std::uint64_t dram_bytes) const {
  return profile_.kernel_launch_s +
         static_cast<double>(dram_bytes) / (profile_.dram_bytes_per_s * profile_.dram_achievable_fraction);
}

double Timeline::copy_s(OperationKind kind, std::uint64_t bytes, bool is_pageable) const {
  const auto amount = static_cast<double>(bytes);
  switch (kind) {
    case OperationKind::copy_to_device:
      return profile_.link_latency_s + amount / (is_pageable ? profile_.pageable_to_device_bytes_per_s
                                                             : profile_.to_device_bytes_per_s);
    case OperationKind::copy_to_host:
      return profile_.link_latency_s +
             amount / (is_pageable ? profile_.pageable_to_host_bytes_per_s : profile_.to_host_bytes_per_s);
    case OperationKind::copy_on_device:
      // Each byte is read from DRAM and written to it.
      return device_copy_s(2 * bytes);
    default:
      return device_copy_s(bytes);
  }
}

std::vector<OperationId> Timeline::predecessors(const Operation& operation) {
  std::vector<OperationId> after;
  const auto add = [&](OperationId id) {
    if (id != kNone && ends_s_[id] == kNotEnded) after.push_back(id);
  };
  const Stream& own = streams_[operation.stream];
  add(own.last);
  // The legacy default stream and the blocking streams wait for each other (CUDA Runtime API, "Stream
  // synchronization behavior").
  if (operation.stream == kLegacyStream) {
    for (const auto& [id, stream] : streams_)
      if (stream.kind == StreamKind::blocking && id != kLegacyStream) add(stream.last);
  } else if (own.kind == StreamKind::blocking) {
    add(streams_[kLegacyStream].last);
  }
  if (operation.kind == OperationKind::event_wait && operation.event < ends_s_.size()) add(operation.event);
  return after;
}

void Timeline::begin_batch() {
  pass_host_time(profile_.host_call_s);
  is_batch_ = true;
}

OperationId Timeline::issue(Operation operation) {
  if (!is_batch_ && !operation.is_access) pass_host_time(profile_.host_call_s);
  run_until(host_s_);
  Pending pending;
  pending.after = predecessors(operation);
  static_cast<Operation&>(pending) = std::move(operation);
  pending.id = ends_s_.size();
  pending.engine = engine_of(pending.kind);
  pending.issued_s = host_s_;
  ends_s_.push_back(kNotEnded);
  streams_[pending.stream].last = pending.id;
  // Queues in hardware are those of the device's engines. Events and host functions wait for their stream
  // only.
  const bool is_queued = pending.engine != Engine::none && pending.engine != Engine::host;
  const std::uint32_t queue = is_queued ? pending.stream % profile_.hardware_queues : pending.stream;
  queues_[{pending.engine, queue}].push_back(pending.id);
  const OperationId id = pending.id;
  pending_.emplace(id, std::move(pending));
  return id;
}

bool Timeline::is_ready(const Pending& operation) const {
  return std::all_of(operation.after.begin(), operation.after.end(),
                     [&](OperationId id) { return ends_s_[id] != kNotEnded; });
}

bool Timeline::has_room(const Pending& operation) const {
  const auto found = load_.find(operation.engine);
  if (operation.engine == Engine::none || found == load_.end() || found->second.operations == 0) return true;
  if (operation.engine != Engine::kernels) return false;
  const Load& load = found->second;
  return load.operations < profile_.max_concurrent_kernels && load.share + operation.share <= kFullShare;
}

void Timeline::start(Pending& operation) {
  operation.start_s = now_s_;
  operation.end_s = now_s_ + operation.duration_s;
  running_.push_back(operation.id);
  Load& load = load_[operation.engine];
  load.share += operation.share;
  ++load.operations;
}

/// Starts the heads of queues that can start, in the order of issue. True if an operation started.
bool Timeline::start_what_can() {
  std::vector<std::pair<OperationId, QueueKey>> heads;
  for (const auto& [key, queue] : queues_) heads.emplace_back(queue.front(), key);
  std::sort(heads.begin(), heads.end());
  bool started = false;
  for (const auto& [id, key] : heads) {
    Pending& operation = pending_.at(id);
    if (!is_ready(operation) || !has_room(operation)) continue;
    start(operation);
    auto& queue = queues_[key];
    queue.pop_front();
    if (queue.empty()) queues_.erase(key);
    started = true;
  }
  return started;
}

/// Ends the operations whose time has come. True if an operation ended.
bool Timeline::end_what_ran() {
  const auto ended = std::partition(running_.begin(), running_.end(),
                                    [&](OperationId id) { return pending_.at(id).end_s > now_s_; });
  if (ended == running_.end()) return false;
  for (auto id = ended; id != running_.end(); ++id) {
    Pending& operation = pending_.at(*id);
    Load& load = load_[operation.engine];
    assert(load.operations != 0);
    --load.operations;
    // Subtractions leave rounding errors; an idle engine starts again from exactly 0.
    load.share = load.operations == 0 ? 0 : load.share - operation.share;
    ends_s_[*id] = operation.end_s;
    if (recorded_.size() < kMaxRecorded) recorded_.push_back(std::move(operation));
    pending_.erase(*id);
  }
  running_.erase(ended, running_.end());
  return true;
}

/// Ends and starts operations now, then moves to the time of the next end. False if that is after `latest_s`,
/// or if nothing runs.
bool Timeline::run_to_next_end(double latest_s) {
  // An operation of duration 0, such as an event, ends immediately and can let others start at the same time.
  while (end_what_ran() || start_what_can()) continue;
  double next_s = kNever;
  for (const OperationId id : running_) next_s = std::min(next_s, pending_.at(id).end_s);
  if (next_s > latest_s || next_s == kNever) return false;
  now_s_ = next_s;
  return true;
}

void Timeline::run_until(double time_s) {
  while (run_to_next_end(time_s)) continue;
  now_s_ = std::max(now_s_, time_s);
}

void Timeline::run_until_ended(OperationId operation) {
  run_until(host_s_);
  // Ends are recorded before the clock moves again, so that it does not pass the operation's end.
  while (ends_s_[operation] == kNotEnded && run_to_next_end(kNever)) end_what_ran();
}

void Timeline::wait_for(OperationId operation) {
  if (operation >= ends_s_.size()) return;
  run_until_ended(operation);
  host_s_ = std::max(host_s_, ends_s_[operation]);
}

/// The last operation of each stream that a wait for `stream` includes. The legacy stream includes all
/// blocking streams: on an H200 with CUDA 13, cudaStreamSynchronize(0) waited for a kernel in another stream,
/// and cudaStreamQuery(0) returned cudaErrorNotReady.
std::vector<OperationId> Timeline::last_of(StreamId stream) const {
  std::vector<OperationId> last;
  for (const auto& [id, one] : streams_) {
    const bool is_included = id == stream || (stream == kLegacyStream && one.kind == StreamKind::blocking);
    if (is_included && one.last != kNone) last.push_back(one.last);
  }
  return last;
}

void Timeline::wait_for_stream(StreamId stream) {
  for (const OperationId last : last_of(stream)) wait_for(last);
}

void Timeline::wait_for_device() {
  for (const auto& [id, stream] : streams_)
    if (stream.last != kNone) wait_for(stream.last);
}

std::optional<double> Timeline::end_s(OperationId operation) {
  if (operation >= ends_s_.size()) return std::nullopt;
  run_until(host_s_);
  return ends_s_[operation] == kNotEnded ? std::nullopt : std::optional(ends_s_[operation]);
}

bool Timeline::is_idle(StreamId stream) {
  const std::vector<OperationId> last = last_of(stream);
  return std::all_of(last.begin(), last.end(), [&](OperationId id) { return end_s(id).has_value(); });
}

std::vector<TimedOperation> Timeline::finish() {
  wait_for_device();
  std::sort(recorded_.begin(), recorded_.end(),
            [](const TimedOperation& a, const TimedOperation& b) { return a.id < b.id; });
  return recorded_;
}

namespace {

bool is_kernel(const TimedOperation& one) { return one.kind == OperationKind::kernel; }

/// Calls visit(start, end, until) for the operations that pass `test`, by start; `until` is the end of the
/// operations before.
template <class Test, class Visit>
void visit_runs(const std::vector<TimedOperation>& operations, Test test, Visit visit) {
  std::vector<std::pair<double, double>> runs;
  for (const TimedOperation& one : operations)
    if (test(one)) runs.emplace_back(one.start_s, one.end_s);
  std::sort(runs.begin(), runs.end());
  double until_s = -std::numeric_limits<double>::infinity();
  for (const auto& [start_s, end_s] : runs) {
    visit(start_s, end_s, until_s);
    until_s = std::max(until_s, end_s);
  }
}

/// The time in which at least one useful operation runs that passes `test`.
template <class Test>
double busy_s(const std::vector<TimedOperation>& operations, Test test) {
  const auto is_counted = [&](const TimedOperation& one) {
    return one.is_useful && !one.is_access && test(one);
  };
  double busy_s = 0;
  visit_runs(operations, is_counted, [&](double start_s, double end_s, double until_s) {
    busy_s += std::max(0.0, end_s - std::max(start_s, until_s));
  });
  return busy_s;
}

}  // namespace

double useful_kernel_s(const std::vector<TimedOperation>& operations) {
  return busy_s(operations, is_kernel);
}

double saved_by_concurrent_kernels_s(const std::vector<TimedOperation>& operations) {
  double saved_s = 0;
  visit_runs(operations, is_kernel, [&](double start_s, double end_s, double until_s) {
    saved_s += std::max(0.0, std::min(end_s, until_s) - start_s);
  });
  return saved_s;
}

double overlap_fraction(const std::vector<TimedOperation>& operations) {
  double sum_s = 0, longest_s = 0;
  for (const Engine engine : {Engine::kernels, Engine::copy, Engine::copy_back, Engine::host}) {
    const double engine_s =
        busy_s(operations, [engine](const TimedOperation& one) { return one.engine == engine; });
    sum_s += engine_s;
    longest_s = std::max(longest_s, engine_s);
  }
  // Relative rounding error of times that add up without overlap.
  constexpr double kRounding = 1e-12;
  const double overlap_s = sum_s - span_s(operations);
  if (sum_s <= longest_s || overlap_s <= kRounding * sum_s) return 0;
  return std::clamp(overlap_s / (sum_s - longest_s), 0.0, 1.0);
}

double span_s(const std::vector<TimedOperation>& operations) {
  double first_s = std::numeric_limits<double>::infinity(), last_s = -first_s;
  for (const TimedOperation& one : operations) {
    if (one.kind == OperationKind::event_record || one.kind == OperationKind::event_wait) continue;
    first_s = std::min(first_s, one.issued_s);
    last_s = std::max(last_s, one.end_s);
  }
  return std::max(last_s - first_s, 0.0);
}

}  // namespace vgpu
