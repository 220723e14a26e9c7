#include "vgpu/cudart/device_side/session.hpp"

#include <algorithm>
#include <cassert>
#include <set>
#include <type_traits>

#include <fmt/format.h>

namespace vgpu::cudart {
namespace {

constexpr std::size_t kMaxFailures = 64;
constexpr std::size_t kMaxNamedMemory = 256;
constexpr std::size_t kMaxUnsupportedNames = 256;
constexpr std::size_t kMaxReportedTextBytes = 512;
constexpr std::uint32_t kMaxModules = 256;
/// The limit for all modules of a session. A parsed module takes many times the memory of its text.
constexpr std::size_t kMaxLoadedImageBytes = 2 * kMaxImageBytes;
/// The limit for cudaLimitPrintfFifoSize, because the server holds the printf output in its own memory.
constexpr std::uint64_t kMaxPrintfBytes = std::uint64_t{64} << 20U;

std::vector<std::uint64_t> as_u64(const std::vector<std::size_t>& values) {
  return {values.begin(), values.end()};
}

template <class Request, class... Kinds>
constexpr bool kIsOneOf = (std::is_same_v<Request, Kinds> || ...);

}  // namespace

SessionAnswer refused(Status status, std::string reason) {
  return {status, encode(Refusal{std::move(reason)}), {}};
}

std::string printable(const std::string& text) {
  std::string clean = text.substr(0, kMaxReportedTextBytes);
  constexpr std::string_view kTimes = "×";  // part of details that the client sends back
  for (std::size_t i = 0; i < clean.size(); ++i) {
    if (std::string_view(clean).substr(i, kTimes.size()) == kTimes) {
      i += kTimes.size() - 1;
    } else if (clean[i] < ' ' || clean[i] > '~') {
      clean[i] = '?';
    }
  }
  return clean;
}

SessionAnswer Session::broken(std::string what) {
  report_.protocol_error = what;
  return refused(Status::protocol_error, std::move(what));
}

template <class Request>
SessionAnswer Session::decode_and_run(Bytes head, Bytes bulk) {
  Request request;
  if (!decode(head, request)) {
    return broken(fmt::format("command {} with malformed fields ({} bytes)",
                              static_cast<std::uint32_t>(command_of<Request>()), head.size()));
  }
  if constexpr (kIsOneOf<Request, Write, Read, Copy, Fill, LaunchKernel>)
    if (fails_now(request.issue))
      return refused(Status::device_failed,
                     "a memory error that this device cannot correct; the case tests whether the program "
                     "checks its calls");
  return run(request, bulk);
}

SessionAnswer Session::handle(std::uint32_t command, Bytes head, Bytes bulk) {
  const bool is_description = command == static_cast<std::uint32_t>(command_of<DescribeMemory>());
  if (undescribed_launch_ && !is_description) record_undescribed();
  SessionAnswer answer;
  const bool is_known = AllCommands::visit_at(command, [&]<class Request>(std::type_identity<Request>) {
    answer = decode_and_run<Request>(head, bulk);
  });
  if (!is_known) return broken(fmt::format("unknown command {}", command));
  if (answer.status == Status::ok) {
    const std::vector<std::byte> in_use = encode(memory_in_use());
    answer.head.insert(answer.head.end(), in_use.begin(), in_use.end());
  }
  return answer;
}

bool Session::fails_now(const Issue& issue) {
  const std::uint64_t limit = device_.profile().operations_before_failure;
  if (!issue.continues) ++operations_;
  return limit > 0 && operations_ > limit;
}

MemoryInUse Session::memory_in_use() {
  constexpr std::size_t kMostNumbers = 2048;  // 16 KiB per list
  static_assert(2 * kMostNumbers * sizeof(std::uint64_t) < kMaxHeadBytes);
  MemoryInUse now{.has_changed = true};
  for (const MemoryAccess& access : races_.unfinished_on_host()) {
    auto& ranges = access.is_write ? now.written : now.read;
    if (ranges.size() < kMostNumbers) ranges.insert(ranges.end(), {access.start, access.size_bytes});
  }
  if (now.read == in_use_.read && now.written == in_use_.written) return {};
  in_use_ = std::move(now);
  return in_use_;
}

SessionAnswer Session::run(const Open& request, Bytes) {
  if (request.version != kProtocolVersion) {
    return broken(fmt::format(
        "the runtime library uses version {} of the command interface, but the device uses version {}",
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
  info.largest_shared_bytes_per_block = largest_shared_bytes(profile);
  info.shared_reserved_bytes = profile.shared_reserved_bytes;
  info.l1_bytes_per_sm = profile.l1_bytes_per_sm;
  info.l2_bytes = profile.l2_bytes;
  info.async_engine_count = profile.async_engine_count;
  info.max_concurrent_kernels = profile.max_concurrent_kernels;
  return accepted(info);
}

SessionAnswer Session::run(const LoadModule&, Bytes bulk) {
  if (bulk.size() > kMaxImageBytes || loaded_image_bytes_ + bulk.size() > kMaxLoadedImageBytes ||
      loaded_modules_ == kMaxModules) {
    return refused(Status::invalid_image,
                   fmt::format("device code of {} bytes is too large: the limits are {} bytes per module, {} "
                               "modules and {} bytes in total",
                               bulk.size(), kMaxImageBytes, kMaxModules, kMaxLoadedImageBytes));
  }
  loaded_image_bytes_ += bulk.size();
  ++loaded_modules_;
  commands_.noted(HostCommand::Kind::module, {bulk.size()}, bulk);
  auto module = device_.load_module(bulk);
  if (!module) return refused(Status::invalid_image, module.error());
  return accepted(ModuleHandle{*module});
}

SessionAnswer Session::run(const QueryKernel& request, Bytes) {
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
  facts.cluster_blocks = info->cluster_blocks;
  facts.architecture = info->architecture;
  return accepted(facts);
}

SessionAnswer Session::run(const QueryOccupancy& request, Bytes) {
  const auto kernel = device_.kernel_info(request.module, request.kernel);
  if (!kernel) return refused(Status::unknown_symbol, fmt::format("no kernel {}", printable(request.kernel)));
  const Profile& profile = device_.profile();
  // Such a block cannot be launched, so none is resident.
  if (request.threads > kernel->max_threads_per_block) return accepted(ResidentBlocks{});
  const std::uint64_t most =
      largest_shared_bytes(profile) - std::min(kernel->static_shared_bytes, largest_shared_bytes(profile));
  const auto resident = [&](std::uint64_t dynamic_bytes) -> std::uint32_t {
    if (dynamic_bytes > most) return 0;
    return occupancy(profile, {request.threads, kernel->static_shared_bytes + dynamic_bytes,
                               kernel->registers_per_thread, kernel->registers_are_estimated})
        .blocks_per_sm;
  };
  // Binary search: more shared memory per block never increases the number of resident blocks.
  std::uint64_t fits = 0, too_much = most + 1;
  while (too_much - fits > 1) {
    const std::uint64_t middle = fits + (too_much - fits) / 2;
    (resident(middle) >= request.blocks_wanted ? fits : too_much) = middle;
  }
  return accepted(ResidentBlocks{resident(request.dynamic_shared_bytes), fits});
}

SessionAnswer Session::run(const AccessLimit& request, Bytes) {
  if (request.is_change)
    commands_.noted(HostCommand::Kind::limit, {static_cast<std::uint64_t>(request.limit), request.value});
  switch (request.limit) {
    case Limit::stack_bytes:
      if (request.is_change && !device_.set_stack_bytes(request.value)) {
        return refused(
            Status::invalid_value,
            fmt::format("{} bytes of stack per thread are more than the device can provide", request.value));
      }
      return accepted(LimitValue{device_.stack_bytes()});
    case Limit::heap_bytes:
      if (request.is_change) device_.set_heap_bytes(request.value);
      return accepted(LimitValue{device_.heap_bytes()});
    case Limit::printf_bytes:
      if (request.is_change) device_.set_printf_bytes(std::min(request.value, kMaxPrintfBytes));
      return accepted(LimitValue{device_.printf_bytes()});
  }
  return broken(fmt::format("unknown limit {}", static_cast<std::uint32_t>(request.limit)));
}

SessionAnswer Session::run(const QuerySymbol& request, Bytes) {
  const auto symbol = device_.symbol(request.module, request.name);
  if (!symbol)
    return refused(Status::unknown_symbol, fmt::format("no device variable {}", printable(request.name)));
  return accepted(MemoryRange{symbol->start, symbol->size_bytes});
}

SessionAnswer Session::run(const Reset&, Bytes) {
  // Delayed copies arrive before their memory is freed.
  races_.settle_all();
  for (const Allocation& allocation : device_.live_allocations()) {
    if (report_.live_allocations.size() < kMaxNamedMemory) report_.live_allocations.push_back(allocation);
    device_.free(allocation.start);
  }
  end_device_heap();
  host_memory_.unshare_all();
  registrations_.end_all();
  linked_variables_.clear();
  times_.forget_events();
  device_bytes_ = 0;
  live_streams_ = 0;
  return done();
}

SessionAnswer Session::run(const ReportFailure& request, Bytes) {
  if (report_.failures.size() < kMaxFailures) {
    report_.failures.push_back({.call = printable(request.call),
                                .error = request.error,
                                .detail = printable(request.detail),
                                .is_quiet = request.kind == FailureKind::quiet,
                                .is_mistake = request.kind == FailureKind::mistake,
                                .place = place_of(request.source)});
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

SessionAnswer Session::run(const ReportIgnored& request, Bytes) {
  for (std::size_t i = request.first; i < report_.failures.size(); ++i)
    report_.failures[i].is_ignored = !report_.failures[i].is_quiet;
  return done();
}

SessionAnswer Session::run(const DescribeMemory& request, Bytes) {
  if (report_.memory.size() < kMaxNamedMemory || report_.memory.contains(request.address)) {
    report_.memory[request.address] = {request.kind, request.size_bytes, place_of(request.allocated),
                                       place_of(request.freed), request.is_lost};
  }
  if (undescribed_launch_) {
    assert(awaited_descriptions_ > 0);
    if (--awaited_descriptions_ == 0) record_undescribed();
  }
  return done();
}

SessionAnswer Session::run(const ReportCrash& request, Bytes) {
  report_.host_crash = HostCrash{.address = request.address, .place = place_of(request.source)};
  if (const auto found = device_.allocation_at(request.address))
    report_.host_crash->allocation = found->allocation;
  return done();
}

SessionAnswer Session::run(const ReportLiveObjects& request, Bytes) {
  report_.live = {live_streams_, request.events, request.graphs, request.executable_graphs,
                  request.memory_pools};
  return done();
}

SessionAnswer Session::run(const BeginCall&, Bytes) {
  constexpr std::size_t kMost = 1024;
  if (report_.calls.size() < kMost)
    report_.calls.push_back({report_.launches.size() + report_.launches_dropped, transfers_.fetched_words(),
                             report_.live, device_.live_allocations().size(),
                             device_.kernel_allocations().count});
  return done();
}

SessionAnswer Session::run(const LinkManagedVariable& request, Bytes) {
  constexpr std::size_t kMost = 1024;
  if (linked_variables_.size() < kMost) {
    linked_variables_.push_back(request);
    transfers_.link(request.variable.address, request.host, request.variable.size_bytes);
    commands_.link(request.variable.address, request.variable.size_bytes);
  }
  return done();
}

std::size_t Session::host_regions_to_free() const {
  std::set<std::uint64_t> of_variables;  // a page can contain several
  for (const LinkManagedVariable& linked : linked_variables_)
    if (const auto start = host_memory_.start_of(linked.host)) of_variables.insert(*start);
  return host_memory_.regions() - of_variables.size();
}

/// Adds the program's accesses to its host copies of __managed__ variables.
std::vector<StreamAccess> Session::with_linked_variables(std::vector<StreamAccess> accesses) const {
  for (std::size_t i = 0, count = accesses.size(); i < count; ++i) {
    const MemoryAccess access = accesses[i];
    for (const auto& [variable, host] : linked_variables_) {
      const std::uint64_t start = std::max(access.start, variable.address);
      const std::uint64_t end = std::min(access.end(), variable.address + variable.size_bytes);
      if (start < end)
        accesses.push_back(
            MemoryAccess{host + (start - variable.address), end - start, access.is_write, access.is_atomic});
    }
  }
  return accesses;
}

SessionAnswer Session::run(const ReportHostAccess& request, Bytes) {
  races_.note_host(
      {request.address, request.is_write, request.in_host_function, request.kind, place_of(request.source)});
  return done();
}

/// Two sites for each race between streams, then one for each copy of unwritten memory.
SessionAnswer Session::run(const QueryCallSites&, Bytes) {
  CallSites sites;
  const auto add = [&](const std::vector<std::uint64_t>& site) {
    assert(site.size() <= kSiteNumbers);  // see work_of()
    sites.numbers.insert(sites.numbers.end(), site.begin(), site.end());
    sites.numbers.resize(sites.numbers.size() + kSiteNumbers - site.size());
  };
  for (const StreamRace& race : races_.found()) {
    add(race.earlier.site);
    add(race.later.site);
  }
  for (const UnwrittenCopy& copy : unwritten_copies_.found()) add(copy.site);
  return accepted(sites);
}

SessionAnswer Session::run(const LocateCall& request, Bytes) {
  const std::uint64_t of_races = 2 * races_.found().size();
  if (request.number < of_races) {
    races_.place(request.number / 2, request.number % 2 != 0, place_of(request.source));
  } else {
    unwritten_copies_.place(request.number - of_races, place_of(request.source));
  }
  return done();
}

SessionAnswer Session::run(const EndProgram&, Bytes) {
  report_.has_ended = true;
  return done();
}

void Session::end_device_heap() {
  const KernelAllocations lost = device_.free_kernel_allocations();
  // After a kernel error, no kernel can run that frees them.
  if (device_.is_faulted()) return;
  report_.kernel_allocations.count += lost.count;
  report_.kernel_allocations.bytes += lost.bytes;
}

SessionReport Session::take_report() {
  if (undescribed_launch_) record_undescribed();
  report_.timeline = times_.finish();
  report_.kernel_s -= saved_by_concurrent_kernels_s(report_.timeline);
  report_.traffic = transfers_.traffic();
  report_.commands = commands_.take();
  report_.words = transfers_.take_words();
  report_.store_lines = device_.store_lines();
  report_.lineage = lineage_.take();
  report_.work_flow = work_flow_.take();
  report_.device_copies.small_pieces = small_pieces_.count();
  // After those that the program had not freed before it reset the device.
  auto& live = report_.live_allocations;
  for (const Allocation& allocation : device_.live_allocations()) live.push_back(allocation);
  // After a kernel error, memory cannot be freed: only the client knows what the program tried to free.
  if (device_.is_faulted()) {
    std::erase_if(live, [&](const Allocation& allocation) {
      const auto memory = report_.memory.find(allocation.start);
      return memory == report_.memory.end() || !memory->second.is_lost;
    });
  }
  end_device_heap();
  report_.live_host_regions = host_regions_to_free();
  report_.live.streams = live_streams_;
  report_.live.events = std::max<std::uint64_t>(report_.live.events, times_.recorded_events());
  report_.sm_count = device_.profile().sm_count;
  report_.host_waits = times_.host_waits();
  report_.stream_races = races_.take();
  report_.unwritten_copies = unwritten_copies_.take();
  return std::move(report_);
}

}  // namespace vgpu::cudart
