#include "judge/supply.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "judge/arrays.hpp"
#include "vgpu/facts/address_text.hpp"

namespace grader {
namespace {

using harness::Job;
using harness::Place;
using vgpu::LaunchRecord;
using vgpu::MemoryAccess;

std::uint64_t size_bytes(const harness::OutputSpec& output) {
  return element_count(output.shape) * sizeof(float);
}

std::vector<MemoryAccess> stores_of(const LaunchRecord& launch) {
  std::vector<MemoryAccess> stores;
  std::copy_if(launch.accesses.begin(), launch.accesses.end(), std::back_inserter(stores),
               [](const MemoryAccess& one) { return one.is_write; });
  return stores;
}

/// Bytes of [start, end) that any of the ranges covers.
std::uint64_t covered(std::vector<MemoryAccess> ranges, std::uint64_t start, std::uint64_t end) {
  std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) { return a.start < b.start; });
  std::uint64_t bytes = 0;
  for (const MemoryAccess& one : ranges) {
    const std::uint64_t from = std::max(one.start, start), to = std::min(one.end(), end);
    if (from < to) bytes += to - from;
    start = std::max(start, to);
  }
  return bytes;
}

std::uint64_t stored_bytes(const LaunchRecord& launch) {
  return launch.counters.global_stores.requested_bytes;
}

/// The stores were too scattered to be recorded, or recording was off.
bool hides_stores(const LaunchRecord& launch) { return launch.accesses.empty() && stored_bytes(launch) > 0; }

bool repeats_stores(const LaunchRecord& launch) {
  return !hides_stores(launch) && launch.grid.count() > 1 &&
         stored_bytes(launch) > distinct_stored_bytes(launch);
}

std::uint64_t size_of_others(const Job& job, std::size_t output) {
  std::uint64_t others = 0;
  for (std::size_t i = 0; i < job.outputs.size(); ++i)
    if (i != output) others += size_bytes(job.outputs[i]);
  return others;
}

using CheckedLaunches = std::span<const LaunchRecord>;

/// Of the checked call, which is the last one. None, if they were not all recorded and there are other calls.
CheckedLaunches launches_of_checked_call(const CaseRun& run, const Job& job) {
  const CheckedLaunches all = run.session.launches;
  if (job.earlier.empty()) return all;
  const std::size_t before = run.session.calls.empty() ? 0 : run.session.calls.back().launches;
  const bool is_known = run.session.launches_dropped == 0 && run.session.calls.size() > job.earlier.size();
  return is_known && before <= all.size() ? all.subspan(before) : CheckedLaunches{};
}

/// Of the checked call. The session's sum also has the launches that were not recorded.
template <class Value>
std::uint64_t sum_of(Value value, const CaseRun& run, CheckedLaunches launches, const Job& job) {
  if (job.earlier.empty()) return value(run.session.total_counters);
  return std::accumulate(
      launches.begin(), launches.end(), std::uint64_t{0},
      [&](std::uint64_t sum, const LaunchRecord& one) { return sum + value(one.counters); });
}

std::uint64_t bytes_stored_to(const CaseRun& run, CheckedLaunches launches, const Job& job,
                              std::size_t output) {
  const bool all_known =
      run.session.launches_dropped == 0 && std::none_of(launches.begin(), launches.end(), hides_stores);
  const std::uint64_t address = output < run.answer.addresses.size() ? run.answer.addresses[output] : 0;
  if (all_known && address != 0) {
    std::vector<MemoryAccess> stores;
    for (const LaunchRecord& launch : launches)
      for (const MemoryAccess& one : stores_of(launch)) stores.push_back(one);
    return covered(std::move(stores), address, address + size_bytes(job.outputs[output]));
  }
  // Without all addresses, an upper estimate: the bytes stored anywhere, less the sizes of the other outputs.
  const std::uint64_t stored =
      all_known ? std::accumulate(launches.begin(), launches.end(), std::uint64_t{0},
                                  [](auto sum, const auto& one) { return sum + distinct_stored_bytes(one); })
                : sum_of([](const vgpu::Counters& of) { return of.global_stores.requested_bytes; }, run,
                         launches, job);
  return stored - std::min(stored, size_of_others(job, output));
}

std::uint64_t input_bytes_on_device(const Job& job) {
  std::uint64_t bytes = 0;
  for (const harness::Input& input : job.inputs)
    if (input.place == Place::device) bytes += element_count(input.shape) * sizeof(float);
  return bytes;
}

/// Whether the line that loads most from global memory loads `bytes` per thread. If the line has other
/// accesses to memory, the number of its loads is unknown; a sum that wider loads cannot have is then the
/// evidence.
bool loads_single(CheckedLaunches launches, std::uint64_t bytes) {
  constexpr auto kMemory = static_cast<std::size_t>(vgpu::InstructionClass::memory);
  vgpu::Counters busiest;
  for (const LaunchRecord& launch : launches)
    for (const vgpu::LineCounters& line : launch.lines)
      if (line.counters.global_loads.requested_bytes > busiest.global_loads.requested_bytes)
        busiest = line.counters;
  const vgpu::SectorTraffic& loads = busiest.global_loads;
  if (loads.requests != busiest.warp_instructions_by_class[kMemory])
    return loads.requested_bytes % (2 * bytes) != 0;
  return loads.requested_bytes == bytes * busiest.thread_instructions_by_class[kMemory];
}

/// See Supply::bytes_per_element.
std::uint64_t bytes_per_element(CheckedLaunches launches, std::uint64_t sectors, const Supply& supply) {
  if (sectors * vgpu::kSectorBytes < supply.input_bytes) return 0;
  for (const std::uint64_t bytes : {1U, 2U})
    if (supply.requested_bytes * sizeof(float) >= supply.input_bytes * bytes && loads_single(launches, bytes))
      return bytes;
  return 0;
}

LaunchExtents extents_of(const LaunchRecord& launch, bool is_transpose) {
  const vgpu::SectorTraffic& stores = launch.counters.global_stores;
  return {.grid = launch.grid,
          .block = launch.block,
          .is_transpose = is_transpose,
          .stores_singly = stores.requests > 0 && stores.requested_bytes == stores.requests * sizeof(float),
          .walks = launch.reads_grid_size &&
                   stores.requested_bytes / sizeof(float) > launch.grid.count() * launch.block.count(),
          .stored_words = distinct_stored_bytes(launch) / sizeof(float),
          .all_stored_words = stores.requested_bytes / sizeof(float)};
}

bool can_store_to_host(const LaunchRecord& launch) {
  const auto stores = stores_of(launch);
  return hides_stores(launch) || std::any_of(stores.begin(), stores.end(), [](const MemoryAccess& one) {
           return vgpu::looks_like_host_memory(one.start);
         });
}

/// A wait for an event, or the default stream, can order the function after a copy of another stream. A
/// function that a copy to the device follows fills the buffer of that copy.
EarlyHostFunction early_kind(const std::vector<vgpu::TimedOperation>& operations,
                             const vgpu::TimedOperation& function) {
  using vgpu::OperationKind;
  if (function.kind != OperationKind::host_function || function.stream == vgpu::kLegacyStream)
    return EarlyHostFunction::none;
  bool has_copy = false;
  const vgpu::TimedOperation* next = nullptr;
  for (const vgpu::TimedOperation& one : operations) {
    const bool is_copy = one.kind == OperationKind::copy_to_host && !one.is_access;
    if (one.id < function.id) {
      const bool is_ordered = one.stream == function.stream || one.stream == vgpu::kLegacyStream;
      if (is_ordered && (is_copy || one.kind == OperationKind::event_wait)) return EarlyHostFunction::none;
      has_copy |= is_copy;
    } else if (one.stream == function.stream && one.kind != OperationKind::host_function) {
      if (next == nullptr || one.id < next->id) next = &one;
    }
  }
  if (next != nullptr && next->kind == OperationKind::copy_to_device) return EarlyHostFunction::none;
  if (next != nullptr && next->kind == OperationKind::copy_to_host) return EarlyHostFunction::before_copy;
  return has_copy ? EarlyHostFunction::other_stream : EarlyHostFunction::none;
}

EarlyHostFunction early_host_function(const CaseRun& run) {
  const auto& operations = run.session.timeline;
  for (const vgpu::TimedOperation& one : operations)
    if (const auto kind = early_kind(operations, one); kind != EarlyHostFunction::none) return kind;
  return EarlyHostFunction::none;
}

bool is_cleared_at_end(const CaseRun& run) {
  const auto& operations = run.session.timeline;
  vgpu::OperationId last_kernel = 0, last_fill = 0;
  for (const vgpu::TimedOperation& one : operations) {
    if (one.kind == vgpu::OperationKind::kernel) last_kernel = std::max(last_kernel, one.id);
    if (one.kind == vgpu::OperationKind::fill) last_fill = std::max(last_fill, one.id);
  }
  return last_kernel != 0 && last_fill > last_kernel;
}

std::optional<Supply::RepeatedStores> repeated_stores(CheckedLaunches launches) {
  // Launches that add to what earlier ones left store to the same place on purpose.
  const bool adds = !launches.empty() && launches.front().counters.global_atomics.requests > 0;
  if (launches.size() < 2 || adds || hides_stores(launches.front())) return std::nullopt;
  const std::vector<MemoryAccess> first = stores_of(launches.front());
  const auto has_same_ranges = [&](const LaunchRecord& one) {
    const std::vector<MemoryAccess> stores = stores_of(one);
    return one.kernel == launches.front().kernel &&
           std::equal(stores.begin(), stores.end(), first.begin(), first.end(),
                      [](const auto& a, const auto& b) { return a.start == b.start && a.end() == b.end(); });
  };
  if (first.empty() || !std::all_of(launches.begin() + 1, launches.end(), has_same_ranges))
    return std::nullopt;
  return Supply::RepeatedStores{launches.size(), distinct_stored_bytes(launches.front()) / sizeof(float)};
}

}  // namespace

std::uint64_t distinct_stored_bytes(const LaunchRecord& launch) {
  return covered(stores_of(launch), 0, ~std::uint64_t{0});
}

bool copies_pointer_size(const CaseRun& run, vgpu::OperationKind kind) {
  const auto& operations = run.session.timeline;
  return std::any_of(operations.begin(), operations.end(), [&](const vgpu::TimedOperation& one) {
    return one.kind == kind && one.bytes == sizeof(void*);
  });
}

bool is_transpose(const Job& job, std::size_t output) {
  Shape reversed = job.outputs[output].shape;
  std::reverse(reversed.begin(), reversed.end());
  std::vector<Shape> matrices;
  for (const harness::Input& input : job.inputs)
    if (input.shape.size() == 2) matrices.push_back(input.shape);
  return matrices.size() == 1 && matrices.front() == reversed && reversed != job.outputs[output].shape;
}

std::optional<Supply> supply_of(const CaseRun& run, const Job& job, std::size_t output) {
  const CheckedLaunches launches = launches_of_checked_call(run, job);
  if (launches.empty()) return std::nullopt;
  Supply supply{.stored_bytes = bytes_stored_to(run, launches, job, output),
                .stores_repeat = std::any_of(launches.begin(), launches.end(), repeats_stores)};
  const bool is_only_one = std::none_of(launches.begin(), launches.end() - 1, [&](const LaunchRecord& one) {
    return one.kernel == launches.back().kernel;
  });
  if (run.session.launches_dropped == 0 && is_only_one)
    supply.last_launch = extents_of(launches.back(), is_transpose(job, output));
  if (launches.size() == 1) supply.launch = supply.last_launch;
  const auto repeated = repeated_stores(launches);
  if (repeated && repeated->words * sizeof(float) < size_bytes(job.outputs[output]))
    supply.repeated_stores = repeated;
  supply.piece = job.piece;
  supply.input_bytes = input_bytes_on_device(job);
  const auto sum_of_loads = [&](std::uint64_t vgpu::SectorTraffic::*part) {
    return sum_of([&](const vgpu::Counters& of) { return of.global_loads.*part; }, run, launches, job);
  };
  supply.requested_bytes = sum_of_loads(&vgpu::SectorTraffic::requested_bytes);
  supply.bytes_per_element = bytes_per_element(launches, sum_of_loads(&vgpu::SectorTraffic::sectors), supply);
  if (!job.earlier.empty()) return supply;  // the other facts are of all calls
  supply.early_host_function = early_host_function(run);
  supply.is_cleared_at_end = is_cleared_at_end(run);
  supply.copies_pointer_size = copies_pointer_size(run, vgpu::OperationKind::copy_to_host);
  if (is_on_host(job) && std::none_of(launches.begin(), launches.end(), can_store_to_host)) {
    const auto& traffic = run.session.traffic;
    supply.fetched_bytes = traffic.to_host - std::min(traffic.to_host, traffic.printed);
  }
  return supply;
}

}  // namespace grader
