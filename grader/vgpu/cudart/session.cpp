#include "vgpu/cudart/session.hpp"

#include <algorithm>
#include <type_traits>

#include <fmt/format.h>

namespace vgpu::cudart {
namespace {

constexpr std::size_t kMaxFailures = 64;
constexpr std::size_t kMaxUnsupportedNames = 256;
constexpr std::size_t kMaxReportedTextBytes = 512;
constexpr std::uint32_t kMaxModules = 256;
/// Of all modules of a session: a parsed module takes many times the memory of its text.
constexpr std::size_t kMaxLoadedImageBytes = 2 * kMaxImageBytes;
constexpr std::size_t kMaxPendingPrintfBytes = std::size_t{4} << 20U;

template <class Answer>
SessionAnswer accepted(const Answer& answer, std::vector<std::byte> bulk = {}) {
  return {Status::ok, encode(answer), std::move(bulk)};
}

SessionAnswer done() { return accepted(Nothing{}); }

SessionAnswer refused(Status status, std::string reason) {
  return {status, encode(Refusal{std::move(reason)}), {}};
}

SessionAnswer bad_range(std::uint64_t address, std::uint64_t size_bytes) {
  return refused(Status::invalid_value,
                 fmt::format("the {} bytes at device address {:#x} are not all inside one allocation",
                             size_bytes, address));
}

std::string why_not_freed(const Device& device, std::uint64_t address) {
  const auto found = device.allocation_at(address);
  if (!found) {
    return fmt::format(
        "{:#x} is no device memory that this program allocated: free only what cudaMalloc gave", address);
  }
  const Allocation& allocation = found->allocation;
  if (!found->is_live)
    return fmt::format("allocation {} ({} bytes) was freed before: it is freed twice", allocation.ordinal,
                       allocation.size_bytes);
  return fmt::format("the address lies {} bytes behind the start of allocation {} ({} bytes): free its start",
                     address - allocation.start, allocation.ordinal, allocation.size_bytes);
}

/// Text from the client, for people's eyes: printable ASCII, cut.
std::string printable(const std::string& text) {
  std::string clean = text.substr(0, kMaxReportedTextBytes);
  std::replace_if(
      clean.begin(), clean.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return clean;
}

Status status_of(LaunchError error) {
  switch (error) {
    case LaunchError::none:
    case LaunchError::faulted:
    case LaunchError::stopped:
      return Status::ok;
    case LaunchError::invalid_configuration:
      return Status::invalid_configuration;
    case LaunchError::out_of_resources:
      return Status::out_of_resources;
    case LaunchError::cooperative_too_large:
      return Status::cooperative_too_large;
    case LaunchError::unknown_kernel:
      return Status::unknown_symbol;
    case LaunchError::invalid_value:
      return Status::invalid_value;
  }
  return Status::invalid_value;
}

std::vector<std::uint64_t> as_u64(const std::vector<std::size_t>& values) {
  return {values.begin(), values.end()};
}

}  // namespace

SessionAnswer Session::broken(std::string what) {
  report_.protocol_error = what;
  return refused(Status::protocol_error, std::move(what));
}

template <class Request>
SessionAnswer Session::decode_and_run(Bytes head, Bytes bulk) {
  Request request;
  if (!decode(head, request)) {
    return broken(fmt::format("command {} with malformed fields ({} bytes)",
                              static_cast<std::uint32_t>(Request::kCommand), head.size()));
  }
  return run(request, bulk);
}

template <class... Requests>
SessionAnswer Session::dispatch(std::uint32_t command, Bytes head, Bytes bulk) {
  std::optional<SessionAnswer> answer;
  const auto try_one = [&]<class Request>(std::type_identity<Request>) {
    if (command == static_cast<std::uint32_t>(Request::kCommand))
      answer = decode_and_run<Request>(head, bulk);
  };
  (try_one(std::type_identity<Requests>{}), ...);
  return answer ? *std::move(answer) : broken(fmt::format("unknown command {}", command));
}

SessionAnswer Session::handle(std::uint32_t command, Bytes head, Bytes bulk) {
  return dispatch<Open, LoadModule, AskKernel, AskSymbol, Allocate, Free, AskMemory, Write, Read, Copy, Fill,
                  LaunchKernel, TakePrintfOutput, Reset, ReportFailure, ReportUnsupported, ReportIgnored,
                  StreamOperation, DefineStream, WaitFor, AskProgress>(command, head, bulk);
}

SessionAnswer Session::run(const Open& request, Bytes) {
  if (request.version != kProtocolVersion) {
    return broken(
        fmt::format("the runtime library speaks version {} of the command interface, the device version {}",
                    request.version, kProtocolVersion));
  }
  const Profile& profile = device_.profile();
  DeviceInfo info;
  info.name = profile.name;
  info.compute_major = profile.compute_major;
  info.compute_minor = profile.compute_minor;
  info.sm_count = profile.sm_count;
  info.clock_hz = profile.clock_hz;
  info.dram_bytes_per_s = profile.dram_bytes_per_s;
  info.max_threads_per_block = profile.max_threads_per_block;
  info.max_threads_per_sm = profile.max_threads_per_sm;
  info.max_blocks_per_sm = profile.max_blocks_per_sm;
  info.registers_per_sm = profile.registers_per_sm;
  info.shared_bytes_per_block = profile.shared_bytes_per_block;
  info.shared_bytes_per_sm = profile.shared_bytes_per_sm;
  info.constant_bytes = profile.constant_bytes;
  info.global_bytes = profile.global_bytes;
  info.async_engine_count = profile.async_engine_count;
  return accepted(info);
}

SessionAnswer Session::run(const LoadModule&, Bytes bulk) {
  if (bulk.size() > kMaxImageBytes || loaded_image_bytes_ + bulk.size() > kMaxLoadedImageBytes ||
      loaded_modules_ == kMaxModules) {
    return refused(
        Status::invalid_image,
        fmt::format(
            "device code of {} bytes is too large: at most {} bytes a module, {} modules and {} bytes "
            "in all",
            bulk.size(), kMaxImageBytes, kMaxModules, kMaxLoadedImageBytes));
  }
  loaded_image_bytes_ += bulk.size();
  ++loaded_modules_;
  auto module = device_.load_module(bulk);
  if (!module) return refused(Status::invalid_image, module.error());
  return accepted(ModuleHandle{*module});
}

SessionAnswer Session::run(const AskKernel& request, Bytes) {
  const auto info = device_.kernel_info(request.module, request.kernel);
  if (!info) return refused(Status::unknown_symbol, fmt::format("no kernel {}", printable(request.kernel)));
  KernelFacts facts;
  facts.parameter_sizes = as_u64(info->parameter_sizes);
  facts.parameter_offsets = as_u64(info->parameter_offsets);
  facts.parameter_bytes = info->parameter_bytes;
  facts.static_shared_bytes = info->static_shared_bytes;
  facts.local_bytes_per_thread = info->local_bytes_per_thread;
  facts.max_threads_per_block = info->max_threads_per_block;
  facts.registers_per_thread = info->registers_per_thread;
  return accepted(facts);
}

SessionAnswer Session::run(const AskSymbol& request, Bytes) {
  const auto symbol = device_.symbol(request.module, request.name);
  if (!symbol)
    return refused(Status::unknown_symbol, fmt::format("no device variable {}", printable(request.name)));
  return accepted(MemoryRange{symbol->start, symbol->size_bytes});
}

SessionAnswer Session::run(const Allocate& request, Bytes) {
  const auto address = device_.allocate(request.size_bytes);
  if (!address) {
    return refused(Status::out_of_memory, fmt::format("no room for {} bytes on a device of {} bytes",
                                                      request.size_bytes, device_.profile().global_bytes));
  }
  return accepted(DeviceAddress{*address});
}

SessionAnswer Session::run(const Free& request, Bytes) {
  if (device_.free(request.address)) return done();
  return refused(Status::invalid_value, why_not_freed(device_, request.address));
}

SessionAnswer Session::run(const AskMemory&, Bytes) {
  const std::uint64_t total = device_.profile().global_bytes;
  std::uint64_t used = 0;
  for (const Allocation& allocation : device_.live_allocations()) used += allocation.size_bytes;
  return accepted(MemoryFacts{total - std::min(used, total), total});
}

SessionAnswer Session::run(const Write& request, Bytes bulk) {
  return device_.write(request.address, bulk) ? done() : bad_range(request.address, bulk.size());
}

SessionAnswer Session::run(const Read& request, Bytes) {
  if (request.size_bytes > options_.max_message_bytes) {
    return broken(
        fmt::format("read of {} bytes; at most {}", request.size_bytes, options_.max_message_bytes));
  }
  std::vector<std::byte> bytes(request.size_bytes);
  if (!device_.read(request.address, bytes)) return bad_range(request.address, request.size_bytes);
  return accepted(Nothing{}, std::move(bytes));
}

SessionAnswer Session::run(const Copy& request, Bytes) {
  if (device_.copy(request.to, request.from, request.size_bytes)) return done();
  return refused(
      Status::invalid_value,
      fmt::format(
          "copying {} bytes from device address {:#x} to {:#x}: one of the two is not inside one allocation",
          request.size_bytes, request.from, request.to));
}

SessionAnswer Session::run(const Fill& request, Bytes) {
  const bool filled = device_.fill(request.to, std::byte{request.value}, request.size_bytes);
  return filled ? done() : bad_range(request.to, request.size_bytes);
}

SessionAnswer Session::run(const LaunchKernel& request, Bytes bulk) {
  if (bulk.size() > kMaxParameterBytes) {
    return broken(fmt::format("{} bytes of kernel parameters; at most {}", bulk.size(), kMaxParameterBytes));
  }
  LaunchRecord launch = device_.launch({.module = request.module,
                                        .kernel = request.kernel,
                                        .grid = request.grid,
                                        .block = request.block,
                                        .dynamic_shared_bytes = request.dynamic_shared_bytes,
                                        .parameters = bulk});
  collect_printf_output();
  LaunchOutcome outcome;
  outcome.seconds = launch.time.total_s();
  outcome.printf_bytes = printf_output_.size();
  outcome.faulted = device_.is_faulted();
  outcome.fault = FaultKind::step_limit;  // what a launch that was stopped looks like to the program
  if (!launch.faults.empty()) {
    outcome.fault = launch.faults.front().kind;
    outcome.fault_detail = launch.faults.front().detail.substr(0, kMaxReportedTextBytes);
  }
  const Status status = status_of(launch.error);
  const std::string reason = launch.error_detail;
  if (status == Status::ok) times_.add_kernel(launch, request.stream);
  record(std::move(launch));
  return status == Status::ok ? accepted(outcome) : refused(status, reason);
}

void Session::record(LaunchRecord launch) {
  if (options_.on_launch) options_.on_launch(launch);
  report_.total_counters += launch.counters;
  report_.kernel_s += launch.time.total_s();
  if (report_.launches.size() < options_.max_launch_records) {
    report_.launches.push_back(std::move(launch));
  } else {
    ++report_.launches_dropped;
  }
}

/// What does not fit stays in the device, which drops what does not fit there.
void Session::collect_printf_output() {
  if (printf_output_.size() < kMaxPendingPrintfBytes) printf_output_ += device_.take_printf_output();
}

SessionAnswer Session::run(const TakePrintfOutput& request, Bytes) {
  if (request.size_bytes > printf_output_.size()) {
    return refused(Status::invalid_value, fmt::format("{} bytes of printf output wait, {} were asked for",
                                                      printf_output_.size(), request.size_bytes));
  }
  const auto* first = reinterpret_cast<const std::byte*>(printf_output_.data());
  std::vector<std::byte> bytes(first, first + request.size_bytes);
  printf_output_.erase(0, request.size_bytes);
  return accepted(Nothing{}, std::move(bytes));
}

SessionAnswer Session::run(const Reset&, Bytes) {
  for (const Allocation& allocation : device_.live_allocations()) device_.free(allocation.start);
  return done();
}

SessionAnswer Session::run(const ReportFailure& request, Bytes) {
  ++reported_failures_;
  if (report_.failures.size() < kMaxFailures) {
    report_.failures.push_back({printable(request.call), request.error, printable(request.detail), false});
  }
  return done();
}

SessionAnswer Session::run(const ReportUnsupported& request, Bytes) {
  const std::string call = printable(request.call);
  auto& names = report_.unsupported;
  const bool is_new = std::find(names.begin(), names.end(), call) == names.end();
  if (is_new && names.size() < kMaxUnsupportedNames) names.push_back(call);
  return done();
}

SessionAnswer Session::run(const ReportIgnored&, Bytes) {
  if (!report_.failures.empty() && reported_failures_ == report_.failures.size())
    report_.failures.back().is_ignored = true;
  return done();
}

SessionAnswer Session::run(const StreamOperation& request, Bytes) {
  if (request.kind == OperationKind::kernel || request.kind > OperationKind::event_wait)
    return broken(fmt::format("operation of kind {} on a stream", static_cast<int>(request.kind)));
  return accepted(times_.add(request));
}

SessionAnswer Session::run(const DefineStream& request, Bytes) {
  times_.define(request);
  return done();
}

SessionAnswer Session::run(const WaitFor& request, Bytes) {
  times_.wait(request);
  return done();
}

SessionAnswer Session::run(const AskProgress& request, Bytes) { return accepted(times_.ask(request)); }

SessionReport Session::take_report() {
  report_.timeline = times_.finish();
  report_.live_allocations = device_.live_allocations();
  return std::move(report_);
}

}  // namespace vgpu::cudart
