#include "judge/clues.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

#include <fmt/format.h>

#include "judge/code_text.hpp"
#include "judge/overlap.hpp"
#include "judge/source_hints.hpp"
#include "judge/supply.hpp"
#include "judge/wording.hpp"
#include "vgpu/facts/counter_table.hpp"

namespace grader {
namespace {

constexpr std::string_view kWorkingShare = "working_blocks_per_block";

using vgpu::Counters;
using vgpu::cudart::SessionReport;

constexpr double kLanes = 32;

double sectors(const Counters& counted) {
  return static_cast<double>(counted.global_loads.sectors + counted.global_stores.sectors +
                             counted.global_atomics.sectors);
}

double wavefronts(const Counters& counted) {
  return static_cast<double>(counted.shared_loads.wavefronts + counted.shared_stores.wavefronts +
                             counted.shared_atomics.wavefronts);
}

/// What a line contributes to the counter. A ratio of two counts is replaced by the count that makes it bad.
double contribution(std::string_view counter, const Counters& counted) {
  if (counter == "active_lanes_per_instruction")
    return kLanes * static_cast<double>(counted.warp_instructions) -
           static_cast<double>(counted.thread_instructions);
  if (counter.starts_with("dram_")) return sectors(counted);
  if (counter == "compute_s") return static_cast<double>(counted.warp_instructions);
  if (counter == "shared_s") return wavefronts(counted);
  constexpr std::string_view kPerRequest = "_per_request";
  if (counter.ends_with(kPerRequest)) counter.remove_suffix(kPerRequest.size());
  const vgpu::CounterInfo* info = vgpu::find_counter(counter);
  const bool is_count =
      info != nullptr && info->group != vgpu::kCacheGroup && counter.find("_per_") == std::string_view::npos;
  return is_count ? info->value(counted) : 0;
}

bool is_own(std::string_view file, const SourceText& source) {
  return file.substr(file.rfind('/') + 1) == source.name;  // npos + 1 is 0
}

std::optional<Clue> busiest_line(const SessionReport& session, std::string_view counter,
                                 const SourceText& source) {
  std::map<std::uint32_t, double> by_line;
  for (const vgpu::LaunchRecord& launch : session.launches)
    for (const vgpu::LineCounters& line : launch.lines)
      if (line.line != 0 && is_own(line.file, source))
        by_line[line.line] += contribution(counter, line.counters);
  const auto most = std::max_element(by_line.begin(), by_line.end(), [](const auto& one, const auto& other) {
    return one.second < other.second;
  });
  if (most == by_line.end() || most->second <= 0) return std::nullopt;
  return clue_at(most->first, source);
}

constexpr std::string_view kUnfreedMemory = "unfreed_memory", kUnfreedResources = "unfreed_resources";

bool is_of_leaks(std::string_view counter) {
  return counter == kUnfreedMemory || counter == kUnfreedResources;
}

/// The producer with the most work; nullptr: none.
const vgpu::LaunchRecord* main_launch(const SessionReport& session, const Producers& producers) {
  const auto work = [&](const Producers::One& one) {
    return session.launches[one.launch].counters.thread_instructions;
  };
  const auto largest =
      std::max_element(producers.launches.begin(), producers.launches.end(),
                       [&](const auto& one, const auto& other) { return work(one) < work(other); });
  return largest == producers.launches.end() ? nullptr : &session.launches[largest->launch];
}

/// The line that launches the kernel. If the kernel has launches with other extents too, the one line for
/// all.
std::optional<std::uint32_t> line_of_launch(const SessionReport& session, const vgpu::LaunchRecord& launch,
                                            const SourceText& source, std::string_view entry) {
  const bool differs = std::any_of(session.launches.begin(), session.launches.end(), [&](const auto& other) {
    return other.kernel == launch.kernel && (other.grid != launch.grid || other.block != launch.block);
  });
  return launch_of(source, kernel_name(launch.kernel), differs ? std::string_view() : entry);
}

std::optional<Clue> largest_producer(const SessionReport& session, const Producers& producers,
                                     std::string_view counter, const SourceText& source,
                                     std::string_view entry) {
  const vgpu::LaunchRecord* const largest = main_launch(session, producers);
  if (largest == nullptr) return std::nullopt;
  const vgpu::LaunchRecord& launch = *largest;
  const auto line = line_of_launch(session, launch, source, entry);
  if (!line) return std::nullopt;
  Clue clue = clue_at(*line, source);
  if (counter == "parameter_bytes")
    clue.likely_cause = "a parameter of the kernel is an array or a structure with values, such as weights";
  const std::uint64_t requested = launch.dynamic_shared_bytes, used = launch.shared_use.dynamic_bytes;
  if (counter == "dynamic_shared_bytes_used" && requested > used)
    clue.likely_cause = fmt::format(
        "the launch requests {} bytes of dynamic shared memory, of which the kernel writes and reads only "
        "{}: it computes without a part of them, or the size counts too many elements or arrays, or the "
        "size of another type (a pointer has 8 bytes), so that smaller tiles seem to fill the memory",
        requested, used);
  if ((counter == "grid_blocks" || counter == kWorkingShare) && launch.working_blocks < launch.grid.count())
    clue.likely_cause = fmt::format(
        "the launch has {} blocks, but only {} of them count: the others have less than half of the work of "
        "the busiest one",
        launch.grid.count(), launch.working_blocks);
  return clue;
}

/// The blocks at the end of each direction can be partial; or the working ones store all that is stored, a
/// whole number of words per thread, and none is partial.
bool has_surplus_of_blocks(const vgpu::LaunchRecord& launch) {
  const auto whole = [](std::uint32_t extent) { return std::uint64_t{extent > 1 ? extent - 1 : 1}; };
  const std::uint64_t working = launch.working_blocks, all = launch.grid.count();
  if (working == 0 || 3 * working > 2 * all) return false;
  if (working < whole(launch.grid.x) * whole(launch.grid.y) * whole(launch.grid.z)) return true;
  const std::uint64_t words = distinct_stored_bytes(launch) / sizeof(float);
  return words > 0 && words % (working * launch.block.count()) == 0;
}

constexpr std::string_view kSurplus =
    " do less than half of the busiest block's work, or store less than half as often";

void add_surplus(Clue& clue, const SessionReport& session, const Producers& producers,
                 const SourceText& source, std::string_view entry) {
  const vgpu::LaunchRecord* const launch = main_launch(session, producers);
  if (launch == nullptr || !has_surplus_of_blocks(*launch)) return;
  const auto line = line_of_launch(session, *launch, source, entry);
  clue.surplus =
      fmt::format("{} of the {} blocks{}{}", launch->grid.count() - launch->working_blocks,
                  launch->grid.count(), line ? fmt::format(" that line {} launches", *line) : "", kSurplus);
  clue.first_step =
      "launch only blocks that find something to do: divide each extent by the rows or columns that a block "
      "computes, and round up";
}

/// The counter grows with blocks that find nothing to do.
bool is_of_work(std::string_view counter) {
  return counter == "compute_s" || counter == "dram_s" || counter == "shared_s" ||
         counter == "warp_instructions" || counter == "thread_instructions";
}

std::optional<Clue> unfreed(const SessionReport& session, std::string_view counter,
                            const SourceText& source) {
  Clue clue;
  for (const auto& [address, memory] : session.memory)
    if (!clue.where && memory.freed.file.empty() && memory.allocated.line != 0 &&
        is_own(memory.allocated.file, source))
      clue = clue_at(memory.allocated.line, source);
  std::vector<std::string> left;
  const auto add = [&](std::uint64_t count, std::string_view noun, std::string_view kind = "") {
    if (count > 0) left.push_back(counted(count, noun).append(kind));
  };
  add(session.live_allocations.size(), "block", " of device memory");
  add(session.live_host_regions, "region", " of pinned memory");
  if (counter == kUnfreedResources) {
    add(session.live.streams, "stream");
    add(session.live.events, "event");
    add(session.live.graphs, "graph");
    add(session.live.executable_graphs, "executable graph");
    add(session.live.memory_pools, "memory pool");
  }
  if (!left.empty()) clue.likely_cause = fmt::format("not freed or destroyed: {}", fmt::join(left, ", "));
  return clue;
}

/// Whether a launch loads from shared memory.
bool uses_shared_memory(const SessionReport& session) {
  return std::any_of(session.launches.begin(), session.launches.end(), [](const vgpu::LaunchRecord& launch) {
    return launch.counters.shared_loads.requests > 0;
  });
}

/// The kernel declares an array of integers in shared memory, where the results depend on no float.
std::optional<Clue> integers_in_shared_memory(const SessionReport& session, const SourceText& source) {
  for (const vgpu::LaunchRecord& launch : session.launches) {
    const auto line = use_in(source, kernel_name(launch.kernel), "__shared__");
    if (!line) continue;
    for (const char* type : {"int", "unsigned", "short", "char", "long"}) {
      if (!contains_word(code_of(source.lines[*line - 1]), type)) continue;
      Clue clue = clue_at(*line, source);
      clue.likely_cause = fmt::format(
          "the array in shared memory has the type {}, which drops the fractions of floats", type);
      clue.next_step = "declare it as float";
      return clue;
    }
  }
  return std::nullopt;
}

/// A kernel declares an array in shared memory, but no result needs its elements, so that nothing loads them.
std::optional<Clue> unused_shared_memory(const SessionReport& session, const SourceText& source) {
  for (const vgpu::LaunchRecord& launch : session.launches) {
    const auto line = use_in(source, kernel_name(launch.kernel), "__shared__");
    if (!line) continue;
    Clue clue = clue_at(*line, source);
    clue.likely_cause =
        "the kernel declares this array in shared memory, but never loads from it: the results come from "
        "loads from global memory alone";
    clue.next_step =
        "fill the array from global memory, call __syncthreads(), and compute the results from its elements";
    return clue;
  }
  return std::nullopt;
}

/// Why the results do not depend on floats in shared memory.
std::optional<Clue> values_from_elsewhere(const SessionReport& session, const SourceText& source) {
  if (uses_shared_memory(session)) return integers_in_shared_memory(session, source);
  if (auto unused = unused_shared_memory(session, source)) return unused;
  auto clue = busiest_line(session, "global_load_requested_bytes", source);
  if (!clue) return clue;
  clue->likely_cause =
      "no kernel uses shared memory: each thread loads all of its operands from global memory";
  clue->next_step =
      "let the threads of a block first store a tile of the operands in a __shared__ array, and compute from "
      "it after __syncthreads()";
  return clue;
}

}  // namespace

bool is_of_launch(std::string_view counter) {
  return counter == "grid_blocks" || counter == kWorkingShare || counter == "block_threads" ||
         counter.ends_with("_shared_bytes_used") || counter.ends_with("_shared_bytes") ||
         counter == "registers_per_thread" || counter == "parameter_bytes";
}

bool is_of_shared_values(std::string_view counter) {
  return counter == "change_by_shared_loads" || counter == "factors_from_shared_memory";
}

bool is_of_overlap(std::string_view counter) {
  return counter == "overlap_fraction" || counter == "call_s" || counter == "pinned_copy_fraction" ||
         counter == "streams_used";
}

std::optional<Clue> find_clue(const SessionReport& session, const Producers& producers,
                              std::string_view counter, const SourceText& source, const harness::Job& job) {
  const std::string& entry = job.entry;
  auto clue = is_of_overlap(counter)         ? why_no_overlap(session, source, job)
              : is_of_launch(counter)        ? largest_producer(session, producers, counter, source, entry)
              : is_of_leaks(counter)         ? unfreed(session, counter, source)
              : is_of_shared_values(counter) ? values_from_elsewhere(session, source)
                                             : busiest_line(session, counter, source);
  if (clue && (is_of_work(counter) || is_of_overlap(counter)))
    add_surplus(*clue, session, producers, source, entry);
  if (clue) clue->counter = counter;
  return clue;
}

bool explains(std::string_view counter) {
  return is_of_leaks(counter) || is_of_launch(counter) || is_of_shared_values(counter);
}

bool has_surplus(const Diagnostic& diagnostic) {
  return diagnostic.likely_cause.find(kSurplus) != std::string::npos;
}

void add_clue(Diagnostic& diagnostic, const Clue& clue) {
  if (!clue.likely_cause.empty()) diagnostic.likely_cause = clue.likely_cause;
  if (!clue.next_step.empty()) diagnostic.next_step = clue.next_step;
  if (!clue.surplus.empty()) {
    diagnostic.likely_cause =
        clue.surplus + (diagnostic.likely_cause.empty() ? "" : "; " + diagnostic.likely_cause);
    diagnostic.next_step = clue.first_step + "; if it is still too slow: " + diagnostic.next_step;
  }
  if (!clue.where) return;
  diagnostic.where = clue.where;
  diagnostic.source_line = clue.source_line;
  const std::string& counter = clue.counter;
  diagnostic.first += is_of_overlap(counter) || is_of_shared_values(counter) ? ""
                      : is_of_launch(counter)                                ? "; launched by this line"
                      : is_of_leaks(counter)                                 ? "; allocated by this line"
                      : counter == "dram_s"    ? "; this line moves the most bytes"
                      : counter == "compute_s" ? "; this line executes the most instructions"
                      : counter == "shared_s"  ? "; this line uses shared memory the most"
                                               : "; this line has the largest part of it";
}

Clue clue_at(std::uint32_t line, const SourceText& source) {
  Diagnostic place;
  locate(place, source.name, line, source);
  return {.where = place.where, .source_line = place.source_line};
}

}  // namespace grader
