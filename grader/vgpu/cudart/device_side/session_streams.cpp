// The part of a session that handles streams: kernels, marks, and waits of the host.

#include <algorithm>
#include <cassert>
#include <utility>

#include <fmt/format.h>

#include "vgpu/cudart/device_side/session.hpp"
#include "vgpu/facts/address_text.hpp"

namespace vgpu::cudart {
namespace {

constexpr std::size_t kMaxPendingPrintfBytes = std::size_t{4} << 20U;
constexpr std::size_t kMaxDetailBytes = 512;
/// More accesses of a launch take too long to compare with those of all other work.
constexpr std::size_t kMaxComparedAccesses = 256;

/// A kernel that faults or is stopped has still been launched, so the request succeeds. The program gets the
/// fault from a later call.
Status status_of(LaunchError error) {
  switch (error) {
    case LaunchError::none:
    case LaunchError::faulted:
    case LaunchError::stopped:
      return Status::ok;
    case LaunchError::invalid_configuration:
    case LaunchError::above_launch_bounds:
      return Status::invalid_configuration;
    case LaunchError::out_of_resources:
      return Status::out_of_resources;
    case LaunchError::cooperative_too_large:
      return Status::cooperative_too_large;
    case LaunchError::no_code_for_device:
      return Status::no_code_for_device;
    case LaunchError::unknown_kernel:
      return Status::unknown_symbol;
    case LaunchError::invalid_value:
      return Status::invalid_value;
  }
  return Status::invalid_value;
}

}  // namespace

SessionAnswer Session::run(const DescribeStream& request, Bytes) {
  ++live_streams_;
  times_.describe(request);
  races_.order().set_kind(bounded_stream(request.stream),
                          request.is_blocking ? StreamKind::blocking : StreamKind::non_blocking);
  return done();
}

StreamWork work_of(OperationKind kind, const Issue& issue, std::string kernel) {
  StreamWork work{kind, bounded_stream(issue.stream), std::move(kernel)};
  if (issue.site.size() <= kSiteNumbers) work.site = issue.site;
  return work;
}

StreamWork work_of(MemoryCall call, const Issue& issue) {
  StreamWork work = work_of(OperationKind{}, issue);
  work.call = call;
  return work;
}

SessionAnswer Session::run(const Mark& request, Bytes) {
  switch (request.kind) {
    case MarkKind::host_function:
      times_.add_host_function(request.stream);
      races_.order().issue(bounded_stream(request.stream));
      return done();
    case MarkKind::host_function_runs:
      races_.before_host_function(bounded_stream(request.stream));
      return done();
    case MarkKind::event_record:
      if (!std::exchange(has_recorded_event_, true)) report_.copies_before_events = report_.device_copies;
      if (!times_.record_event(request.event, request.stream))
        return refused(Status::out_of_memory, "too many recorded events");
      races_.order().record_event(request.event, bounded_stream(request.stream));
      return done();
    case MarkKind::event_wait:
      times_.wait_for_event(request.event, request.stream);
      races_.order().wait_for_event(request.event, bounded_stream(request.stream));
      return done();
    case MarkKind::event_destroy:
      times_.forget_event(request.event);
      races_.order().forget_event(request.event);
      return done();
    case MarkKind::graph_begin:
      times_.begin_graph();
      return done();
    case MarkKind::graph_end:
      times_.end_graph();
      return done();
    case MarkKind::stream_destroy:
      live_streams_ -= std::min<std::uint64_t>(live_streams_, 1);
      return done();
  }
  return broken(fmt::format("unknown mark {}", static_cast<std::uint32_t>(request.kind)));
}

SessionAnswer Session::run(const Synchronise& request, Bytes) {
  times_.synchronise(request);
  note_end(request.what, request.number);
  return done();
}

/// Records that the program knows about the end of this work.
void Session::note_end(WaitFor what, std::uint64_t number) {
  switch (what) {
    case WaitFor::device:
      races_.order().finish_all();
      break;
    case WaitFor::stream:
      races_.order().finish_stream(bounded_stream(number));
      break;
    case WaitFor::event:
      races_.order().finish_event(number);
      break;
  }
  races_.settle();
}

SessionAnswer Session::run(const QueryEnded& request, Bytes) {
  const bool has_ended = times_.has_ended(request);
  commands_.inform();
  if (has_ended) note_end(request.what, request.number);
  return accepted(Ended{has_ended});
}

SessionAnswer Session::run(const QueryElapsedTime& request, Bytes) {
  if (!times_.is_recorded(request.start) || !times_.is_recorded(request.end))
    return refused(Status::invalid_value, "an event was never recorded");
  const auto seconds = times_.elapsed_s(request.start, request.end);
  commands_.inform();
  return accepted(ElapsedTime{seconds.has_value(), seconds.value_or(0)});
}

SessionAnswer Session::run(const LaunchKernel& request, Bytes bulk) {
  if (bulk.size() > kMaxParameterBytes) {
    return broken(fmt::format("{} bytes of kernel parameters; at most {}", bulk.size(), kMaxParameterBytes));
  }
  Launch what;
  what.module = request.module;
  what.kernel = request.kernel;
  what.grid = request.grid;
  what.block = request.block;
  what.dynamic_shared_bytes = request.dynamic_shared_bytes;
  what.parameters = bulk;
  what.cooperative = request.cooperative;
  what.allowed_dynamic_shared_bytes = request.allowed_dynamic_shared_bytes;
  transfers_.sent_parameters(what.kernel, bulk);
  races_.before_launch();
  transfers_.before_launch();
  if (const auto kernel = device_.kernel_info(what.module, what.kernel))
    commands_.launching(what, kernel->read_parameter_bytes);
  LaunchRecord launch = device_.launch(what);
  commands_.launched(launch);
  const HostTraffic before = transfers_.traffic();
  const std::size_t first_word = transfers_.fetched_words();
  transfers_.after_launch(launch);
  lineage_.launched(launch);
  races_.after_launch();
  const bool has_run = status_of(launch.error) == Status::ok;
  if (has_run) {
    const HostTraffic after = transfers_.traffic();
    const HostAccess accessed{after.read_from_host - before.read_from_host,
                              after.written_to_host - before.written_to_host};
    work_flow_.begin(times_.add_kernel(launch, request.issue.stream, accessed));
    if (accessed.read > 0) work_flow_.read_host();
    work_flow_.launched(launch);
    work_flow_.delivered(first_word, transfers_.fetched_words());
  }
  if (launch.accesses.size() > kMaxComparedAccesses) launch.accesses.clear();
  if (has_run) {
    StreamWork work = work_of(OperationKind::kernel, request.issue, launch.kernel);
    work.can_signal = launch.has_system_scope;
    note_work(work, {launch.accesses.begin(), launch.accesses.end()});
  }
  // The record keeps the writes: a later check needs them to see whether the kernel stored any results.
  std::erase_if(launch.accesses, [](const MemoryAccess& one) { return !one.is_write; });
  collect_printf_output();
  LaunchOutcome outcome;
  outcome.seconds = launch.time.total_s();
  outcome.printf_bytes = printf_output_.size();
  outcome.faulted = device_.is_faulted();
  outcome.fault = FaultKind::step_limit;  // for a launch that the grader stopped
  if (!launch.faults.empty()) {
    outcome.fault = launch.faults.front().kind;
    outcome.fault_detail = launch.faults.front().detail.substr(0, kMaxDetailBytes);
  }
  const Status status = status_of(launch.error);
  const std::string reason = launch.error_detail;
  outcome.undescribed_memory = undescribed_memory(launch);
  awaited_descriptions_ = outcome.undescribed_memory.size();
  if (awaited_descriptions_ == 0 || status != Status::ok) {
    record(std::move(launch));
  } else {
    undescribed_launch_ = std::move(launch);
  }
  return status == Status::ok ? accepted(outcome) : refused(status, reason);
}

void Session::record(LaunchRecord launch) {
  assert(!undescribed_launch_);
  if (options_.on_launch) options_.on_launch(launch, report_.memory);
  report_.total_counters += launch.counters;
  report_.kernel_s += launch.time.total_s();
  if (report_.launches.size() < options_.max_launch_records) {
    report_.launches.push_back(std::move(launch));
  } else {
    ++report_.launches_dropped;
  }
}

void Session::record_undescribed() {
  assert(undescribed_launch_);
  LaunchRecord launch = *std::move(undescribed_launch_);
  undescribed_launch_.reset();
  record(std::move(launch));
}

/// Starts of memory that the launch used wrongly and that the client has not described yet. Memory of a fault
/// is included in any case, because the program can have freed it since its last description.
std::vector<std::uint64_t> Session::undescribed_memory(const LaunchRecord& launch) const {
  constexpr std::size_t kMost = 16;
  std::vector<std::uint64_t> starts;
  const auto add = [&](const Fault& fault) {
    if (!fault.nearest || starts.size() == kMost) return;
    const std::uint64_t start = fault.nearest->start;
    const bool is_programs = fault.nearest->ordinal != 0 || looks_like_host_memory(start);
    if (is_programs && std::find(starts.begin(), starts.end(), start) == starts.end())
      starts.push_back(start);
  };
  for (const Fault& finding : launch.findings) add(finding);
  std::erase_if(starts, [&](std::uint64_t start) { return report_.memory.contains(start); });
  for (const Fault& fault : launch.faults) add(fault);
  return starts;
}

/// Output that does not fit stays in the device, which discards output beyond its own limit.
void Session::collect_printf_output() {
  if (printf_output_.size() < kMaxPendingPrintfBytes) printf_output_ += device_.take_printf_output();
}

SessionAnswer Session::run(const TakePrintfOutput& request, Bytes) {
  if (request.size_bytes > printf_output_.size()) {
    return refused(Status::invalid_value,
                   fmt::format("{} bytes of printf output are available, but {} were requested",
                               printf_output_.size(), request.size_bytes));
  }
  const auto* first = reinterpret_cast<const std::byte*>(printf_output_.data());
  std::vector<std::byte> bytes(first, first + request.size_bytes);
  printf_output_.erase(0, request.size_bytes);
  transfers_.printed(request.size_bytes);
  if (request.size_bytes > 0) commands_.inform();
  return accepted(Nothing{}, std::move(bytes));
}

}  // namespace vgpu::cudart
