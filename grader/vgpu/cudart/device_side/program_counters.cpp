#include "vgpu/cudart/device_side/program_counters.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "vgpu/model/timeline.hpp"

namespace vgpu::cudart {
namespace {

using Report = const SessionReport&;

bool is_link_copy(const TimedOperation& one) {
  return !one.is_access &&
         (one.kind == OperationKind::copy_to_device || one.kind == OperationKind::copy_to_host);
}

/// Bytes of all operations that pass `test`.
template <class Test>
double bytes_where(Report report, Test test) {
  double bytes = 0;
  for (const TimedOperation& one : report.timeline)
    if (test(one)) bytes += static_cast<double>(one.bytes);
  return bytes;
}

enum class Needed { yes, any };

double bytes_of(Report report, OperationKind kind, Needed needed = Needed::any) {
  return bytes_where(report, [&](const TimedOperation& one) {
    return one.kind == kind && !one.is_access && (needed == Needed::any || one.is_useful);
  });
}

double pinned_copy_fraction(Report report) {
  const double all = bytes_where(report, [](const auto& one) { return is_link_copy(one) || one.is_access; });
  if (all == 0) return 0;
  return bytes_where(report, [](const auto& one) { return is_link_copy(one) && !one.is_pageable; }) / all;
}

/// A stream with less of the busiest stream's time is there for show: the work is not shared out.
constexpr double kLeastShareOfStream = 0.25;

double streams_used(Report report) {
  std::map<StreamId, double> busy_s;
  for (const TimedOperation& one : report.timeline)
    if (one.engine != Engine::none && one.is_useful) busy_s[one.stream] += one.end_s - one.start_s;
  double most_s = 0;
  for (const auto& [stream, seconds] : busy_s) most_s = std::max(most_s, seconds);
  return static_cast<double>(std::count_if(busy_s.begin(), busy_s.end(), [&](const auto& stream) {
    return stream.second >= kLeastShareOfStream * most_s;
  }));
}

double unfreed_memory(Report report) {
  return static_cast<double>(report.live_allocations.size() + report.live_host_regions);
}

double unfreed_resources(Report report) {
  const LiveObjects& live = report.live;
  return unfreed_memory(report) + static_cast<double>(live.streams + live.events + live.graphs +
                                                      live.executable_graphs + live.memory_pools);
}

constexpr auto kTable = std::to_array<ProgramCounterInfo>({
    {"copy_to_device_bytes", "bytes copied from the host to the device",
     [](Report r) { return bytes_of(r, OperationKind::copy_to_device); }},
    {"useful_copy_to_device_bytes",
     "bytes of the copies to the device from which kernels computed the result",
     [](Report r) { return bytes_of(r, OperationKind::copy_to_device, Needed::yes); }},
    {"copy_to_host_bytes", "bytes copied from the device to the host",
     [](Report r) { return bytes_of(r, OperationKind::copy_to_host); }},
    {"useful_copy_to_host_bytes",
     "bytes of the copies to the host that bring a result that kernels computed from the inputs",
     [](Report r) { return bytes_of(r, OperationKind::copy_to_host, Needed::yes); }},
    {"largest_copy_to_host_bytes", "bytes of the largest copy from the device to the host",
     [](Report r) {
       double largest = 0;
       for (const TimedOperation& one : r.timeline)
         if (one.kind == OperationKind::copy_to_host && !one.is_access)
           largest = std::max(largest, static_cast<double>(one.bytes));
       return largest;
     }},
    {"copies_on_device", "copies within the device, which no kernel makes",
     [](Report r) { return static_cast<double>(r.device_copies.copies); }},
    {"copy_on_device_bytes",
     "bytes copied within the device, without kernels; their DRAM traffic, in whole "
     "sectors of each row, is part of the program's `dram_bytes`",
     [](Report r) { return static_cast<double>(r.device_copies.copied_bytes); }},
    {"fills", "fills of device memory (`cudaMemset` and its relatives)",
     [](Report r) { return static_cast<double>(r.device_copies.fills); }},
    {"fill_bytes", "bytes of device memory filled",
     [](Report r) { return static_cast<double>(r.device_copies.filled_bytes); }},
    {"pageable_copies", "copies between host and device whose host memory is pageable",
     [](Report r) {
       return static_cast<double>(std::count_if(r.timeline.begin(), r.timeline.end(), [](const auto& one) {
         return is_link_copy(one) && one.is_pageable;
       }));
     }},
    {"pinned_copy_fraction",
     "fraction of the bytes that cross between host and device that are copied from or to pinned memory; "
     "bytes of the host's memory that kernels access themselves cross, but are not copied",
     pinned_copy_fraction},
    {"streams_used",
     "streams with kernels or copies that the result needs, including the default stream; parallel "
     "branches of a graph are streams. The kernels and copies of a stream count if they take at least a "
     "quarter of the time that those of the busiest stream take",
     streams_used},
    {"overlap_fraction",
     "the time saved by overlapping the engines (kernels, copies to the device, copies to the host), as a "
     "fraction of the largest possible saving: (sum of busy times − time of the call) / "
     "(sum of busy times − longest busy time). 0: the engines work one after the other; 1: the call takes as "
     "long as its busiest engine. Engines are busy with kernels and copies on the way from the inputs to the "
     "result; other work only takes time. Accesses of kernels to the host's memory do not count",
     [](Report r) { return overlap_fraction(r.timeline); }},
    {"useful_kernel_s", "seconds in which at least one kernel on the way from the inputs to the result runs",
     [](Report r) { return useful_kernel_s(r.timeline); }},
    {"device_synchronisations",
     "how often the host waits for the whole device between two kernels, copies or fills; waits at the "
     "end of the program do not count",
     [](Report r) { return static_cast<double>(r.host_waits.device); }},
    {"stream_synchronisations",
     "how often the host waits for one stream between two kernels, copies or fills; each blocking copy "
     "counts as a wait",
     [](Report r) { return static_cast<double>(r.host_waits.stream); }},
    {"event_synchronisations", "how often the host waits for one event between two kernels, copies or fills",
     [](Report r) { return static_cast<double>(r.host_waits.event); }},
    {"peak_device_bytes", "largest amount of device memory allocated at the same time",
     [](Report r) { return static_cast<double>(r.peak_device_bytes); }},
    {"peak_pinned_bytes", "largest amount of host memory pinned or managed at the same time, in whole pages",
     [](Report r) { return static_cast<double>(r.peak_pinned_bytes); }},
    {"registered_argument_bytes",
     "bytes of the arrays in the program's arguments that copies read or write while the program pins them "
     "with cudaHostRegister; for each array, at most its size",
     [](Report r) { return static_cast<double>(r.registered_argument_bytes); }},
    {"unfreed_memory",
     "allocations of device memory, pinned or managed host memory that still exist when the program ends",
     unfreed_memory},
    {"unfreed_resources",
     "allocations of device memory, pinned or managed host memory, streams, events, graphs, executable "
     "graphs "
     "and memory pools that still exist when the program ends",
     unfreed_resources},
});

}  // namespace

std::span<const ProgramCounterInfo> program_counter_table() { return kTable; }

const ProgramCounterInfo* find_program_counter(std::string_view name) {
  const auto* found = std::find_if(kTable.begin(), kTable.end(),
                                   [&](const ProgramCounterInfo& info) { return info.name == name; });
  return found == kTable.end() ? nullptr : found;
}

std::string program_counter_markdown() {
  std::string text = "## the whole program\n\n| counter | counts |\n|---|---|\n";
  for (const ProgramCounterInfo& info : kTable)
    text += "| `" + std::string(info.name) + "` | " + std::string(info.definition) + " |\n";
  return text;
}

}  // namespace vgpu::cudart
