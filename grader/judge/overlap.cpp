#include "judge/overlap.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "judge/source_hints.hpp"
#include "judge/wording.hpp"
#include "vgpu/cudart/device_side/program_counters.hpp"

namespace grader {
namespace {

using vgpu::OperationKind;
using vgpu::TimedOperation;
using vgpu::cudart::SessionReport;
using Reason = std::optional<Clue>;

struct Observed {
  const SessionReport& session;
  const SourceText& source;
  std::string_view entry;
  const harness::Job& job;
};

bool is_link_copy(const TimedOperation& one) {
  return one.kind == OperationKind::copy_to_device || one.kind == OperationKind::copy_to_host;
}

bool is_work(const TimedOperation& one) { return one.engine != vgpu::Engine::none; }

Clue reason(std::string likely_cause, std::string next_step, std::optional<std::uint32_t> line,
            const SourceText& source) {
  Clue clue = line ? clue_at(*line, source) : Clue{};
  clue.likely_cause = std::move(likely_cause);
  clue.next_step = std::move(next_step);
  return clue;
}

Reason pageable(const Observed& run) {
  const auto& all = run.session.timeline;
  const auto copies = std::count_if(all.begin(), all.end(), is_link_copy);
  const auto slow = std::count_if(all.begin(), all.end(),
                                  [](const auto& one) { return is_link_copy(one) && one.is_pageable; });
  if (slow == 0) return std::nullopt;
  return Clue{.likely_cause = fmt::format(
                  "{} of {} copies use host memory that is not pinned: the host waits for each of them", slow,
                  copies)};
}

/// The last warp of each block has lanes without a thread.
Reason partial_warps(const Observed& run) {
  constexpr std::uint64_t kWarp = 32;
  for (const vgpu::LaunchRecord& launch : run.session.launches) {
    const std::uint64_t threads = launch.block.count(), idle = (kWarp - threads % kWarp) % kWarp;
    if (idle < kWarp / 4 || launch.grid.count() == 1) continue;
    return Clue{.likely_cause = fmt::format("the kernel takes longer than it needs: with blocks of {} "
                                            "threads, {} lanes of each block's last warp have no thread",
                                            threads, idle),
                .next_step = "choose a multiple of 32 threads for a block, such as 256"};
  }
  return std::nullopt;
}

/// Kernels take most of the time, so that no other order of the work helps.
Reason long_kernels(const Observed& run) {
  constexpr double kMost = 0.75, kNearlyAll = 0.9;
  double kernels_s = 0, end_s = 0, copies_s = 0;
  for (const TimedOperation& one : run.session.timeline) {
    const double taken_s = one.end_s - one.start_s;
    if (one.kind == OperationKind::kernel) kernels_s += taken_s;
    if (is_link_copy(one) && !one.is_access) copies_s += taken_s;
    end_s = std::max(end_s, one.end_s);
  }
  if (kernels_s >= kNearlyAll * end_s && kernels_s < 2 * copies_s)
    return Clue{
        .likely_cause = fmt::format("kernels run for {:.0f} % of this time: the kernel takes longer than it "
                                    "needs, and no other order of copies and kernels makes the call faster",
                                    100 * kernels_s / end_s),
        .next_step =
            "choose a block size that gives each multiprocessor the same number of threads, such as 256; let "
            "each thread load its elements once, and store the sum once"};
  if (kernels_s < kMost * end_s || kernels_s < 2 * copies_s) return std::nullopt;
  return Clue{
      .likely_cause = fmt::format(
          "kernels run for {:.0f} % of this time, {:.1f} times as long as all copies together: the kernel "
          "is slow, and no other order of copies and kernels can hide it",
          100 * kernels_s / end_s, kernels_s / std::max(copies_s, 1e-9)),
      .next_step = "let each thread load its elements once, keep the sum in a register, and store it once"};
}

/// Kernels use pinned or mapped memory of the host in place of copies.
Reason kernel_accesses(const Observed& run) {
  const auto& all = run.session.timeline;
  const auto is_access = [](const TimedOperation& one) { return one.is_access && one.bytes > 0; };
  const auto access = std::find_if(all.begin(), all.end(), is_access);
  if (access == all.end()) return std::nullopt;
  return Clue{
      .likely_cause = fmt::format(
          "kernels {} the host's memory themselves, over the link, which takes the place of copies and "
          "lets the kernel run as long",
          access->kind == OperationKind::copy_to_host ? "store to" : "read"),
      .next_step =
          "let kernels use device memory (cudaMalloc), and copy from and to it with "
          "cudaMemcpyAsync"};
}

constexpr const char* kDefaultStreamWaits =
    " in the default stream, which waits for all other streams, and they wait for it";

Reason default_stream(const Observed& run) {
  std::string kernel;
  bool has_others = false;
  for (const TimedOperation& one : run.session.timeline) {
    if (one.kind == OperationKind::kernel && one.stream == vgpu::kLegacyStream) kernel = one.name;
    has_others |= is_link_copy(one) && one.stream != vgpu::kLegacyStream;
  }
  if (kernel.empty() || !has_others) return std::nullopt;
  return reason(std::string("kernels run") + kDefaultStreamWaits,
                "pass the stream of the copies as the fourth argument of the launch",
                launch_of(run.source, kernel_name(kernel), run.entry), run.source);
}

constexpr const char* kUseStreams =
    "create several streams, each with buffers of its own, and give the segments to them in turn: "
    "cudaMemcpyAsync and the launch's fourth argument name the stream";

Reason one_stream(const Observed& run) {
  std::set<vgpu::StreamId> streams;
  for (const TimedOperation& one : run.session.timeline)
    if (is_work(one)) streams.insert(one.stream);
  if (streams.size() <= 1)
    return Clue{.likely_cause = "all work is in one stream, which executes it one after the other",
                .next_step = kUseStreams};
  if (vgpu::cudart::find_program_counter("streams_used")->value(run.session) > 1) return std::nullopt;
  return Clue{.likely_cause = "one stream has almost all of the work, and executes it one after the other",
              .next_step = kUseStreams};
}

/// The host issues nothing while a blocking copy runs.
Reason blocking_copies(const Observed& run) {
  const auto line = first_call(run.source, "cudaMemcpy(", run.entry);
  if (run.session.host_waits.stream == 0 || !line) return std::nullopt;
  return reason(fmt::format("cudaMemcpy in line {} returns only when the copy has ended, so that the host "
                            "issues no other work until then",
                            *line),
                "copy with cudaMemcpyAsync, in the stream of the kernel that uses the copy", line,
                run.source);
}

/// Kernels have streams of their own, copies do not.
Reason copies_without_stream(const Observed& run) {
  std::optional<OperationKind> kind;
  bool has_streams = false;
  for (const TimedOperation& one : run.session.timeline) {
    if (is_link_copy(one) && !one.is_access && one.stream == vgpu::kLegacyStream) kind = one.kind;
    has_streams |= one.kind == OperationKind::kernel && one.stream != vgpu::kLegacyStream;
  }
  if (!kind || !has_streams) return std::nullopt;
  const bool is_to_host = kind == OperationKind::copy_to_host;
  const auto synchronous = first_use(run.source, "cudaMemcpy");
  if (synchronous && !copy_without_stream(run.source, is_to_host))
    return reason(fmt::format("cudaMemcpy in line {} waits for its copy, which runs in the default stream",
                              *synchronous),
                  "use cudaMemcpyAsync, with the stream of the kernel as the last argument", synchronous,
                  run.source);
  return reason(fmt::format("copies to the {} are{}", is_to_host ? "host" : "device", kDefaultStreamWaits),
                "pass the stream of the kernel as the last argument of cudaMemcpyAsync",
                copy_without_stream(run.source, is_to_host), run.source);
}

Reason device_waits(const Observed& run) {
  if (run.session.host_waits.device == 0) return std::nullopt;
  const std::string waits =
      fmt::format("the host waits {} for the whole device", counted(run.session.host_waits.device, "time"));
  if (const auto line = first_use(run.source, "cudaDeviceSynchronize"))
    return reason(waits + ", so that no other work is in progress then",
                  "wait only for the stream or the event whose result is needed next", line, run.source);
  return reason(waits + ", as cudaFree and cudaFreeHost do, so that no other work is in progress then",
                "allocate before the first segment, and free after the last one", std::nullopt, run.source);
}

/// A pipeline waits for a stream only before it uses the stream's buffers again.
Reason stream_waits(const Observed& run) {
  const auto kernels = std::count_if(run.session.timeline.begin(), run.session.timeline.end(),
                                     [](const auto& one) { return one.kind == OperationKind::kernel; });
  const auto waits = run.session.host_waits.stream;
  if (waits == 0 || waits + 1 < static_cast<std::uint64_t>(kernels)) return std::nullopt;
  return reason(fmt::format("the host waits for a stream {}, after each of {} kernels",
                            counted(waits, "time"), kernels),
                "issue the next work before you wait, and wait only before a stream's buffers are used again",
                only_use(run.source, "cudaStreamSynchronize"), run.source);
}

/// A wait between two segments, although no buffer is needed again.
Reason some_waits(const Observed& run) {
  const auto waits = run.session.host_waits.stream + run.session.host_waits.event;
  if (waits < 2) return std::nullopt;
  return reason(
      fmt::format("the host waits for a stream or an event {} before it issues more work",
                  counted(waits, "time")),
      "wait only before host code uses or changes a buffer; work of one stream is in order without a "
      "wait",
      first_call(run.source, "cudaStreamSynchronize", run.entry), run.source);
}

/// More kernels than the arrays have pieces.
Reason small_pieces(const Observed& run) {
  if (!run.job.piece || run.job.piece->elements == 0) return std::nullopt;
  const auto kernels = std::count_if(run.session.timeline.begin(), run.session.timeline.end(),
                                     [](const auto& one) { return one.kind == OperationKind::kernel; });
  const auto& [name, elements] = *run.job.piece;
  const std::uint64_t pieces = (element_count(run.job.outputs[0].shape) + elements - 1) / elements;
  if (2 * static_cast<std::uint64_t>(kernels) < 3 * pieces) return std::nullopt;
  const auto& launches = run.session.launches;
  const auto whole = std::count_if(launches.begin(), launches.end(), [&](const vgpu::LaunchRecord& launch) {
    return launch.counters.global_stores.requested_bytes == elements * sizeof(float);
  });
  if (2 * static_cast<std::uint64_t>(whole) >= 3 * pieces)
    return reason(
        fmt::format("{} kernels run where {} of {} elements need {}: kernels are launched more than "
                    "once for the same piece",
                    kernels, counted(pieces, "piece"), elements, pieces),
        "launch one kernel for each piece: look for a second launch, or for a missing break or else in front "
        "of it",
        std::nullopt, run.source);
  return reason(
      fmt::format("{} kernels run where {} of {} elements need {}: the pieces are smaller than "
                  "`{}`, and each copy and each launch takes a time of its own",
                  kernels, counted(pieces, "piece"), elements, pieces, name),
      fmt::format("divide the arrays into pieces of `{}` elements, a number of elements, not of bytes", name),
      std::nullopt, run.source);
}

std::uint64_t bytes_of_host_arrays(const harness::Job& job) {
  std::uint64_t elements = 0;
  for (const harness::Input& one : job.inputs)
    if (one.place != harness::Place::device && !one.shape.empty()) elements += element_count(one.shape);
  return elements * sizeof(float);
}

/// More bytes go to the device than the inputs have.
Reason repeated_copies(const Observed& run) {
  const std::uint64_t needed = bytes_of_host_arrays(run.job);
  std::uint64_t copied = 0;
  for (const TimedOperation& one : run.session.timeline)
    if (one.kind == OperationKind::copy_to_device && !one.is_access) copied += one.bytes;
  if (needed == 0 || !run.job.earlier.empty() || 4 * copied < 5 * needed) return std::nullopt;
  return Clue{
      .likely_cause = fmt::format("{} bytes are copied to the device, and the inputs have {}: some are "
                                  "copied more than once, or elements that no kernel needs",
                                  copied, needed),
      .next_step = "copy each element of the inputs to the device once"};
}

/// More copies than the arrays have pieces.
Reason many_copies(const Observed& run) {
  if (!run.job.piece || run.job.piece->elements == 0 || !run.job.earlier.empty()) return std::nullopt;
  const auto copies =
      std::count_if(run.session.timeline.begin(), run.session.timeline.end(),
                    [](const TimedOperation& one) { return is_link_copy(one) && !one.is_access; });
  const std::uint64_t all_bytes =
      bytes_of_host_arrays(run.job) + element_count(run.job.outputs[0].shape) * sizeof(float);
  const std::uint64_t bytes = run.job.piece->elements * sizeof(float);
  const std::uint64_t needed = (all_bytes + bytes - 1) / bytes;
  if (static_cast<std::uint64_t>(copies) < 2 * needed) return std::nullopt;
  return Clue{
      .likely_cause = fmt::format("{} copies move what {} copies of {} elements can: each copy takes a "
                                  "time of its own, however small it is",
                                  copies, needed, run.job.piece->elements),
      .next_step = "copy a whole piece of an array with one call"};
}

/// The operations of the engines for copies, in the order of their times.
std::map<vgpu::Engine, std::vector<const TimedOperation*>> by_engine(const SessionReport& session) {
  std::map<vgpu::Engine, std::vector<const TimedOperation*>> engines;
  for (const TimedOperation& one : session.timeline)
    if (is_link_copy(one)) engines[one.engine].push_back(&one);
  for (auto& [engine, all] : engines)
    std::stable_sort(all.begin(), all.end(),
                     [](const auto* one, const auto* other) { return one->start_s < other->start_s; });
  return engines;
}

/// A copy to the host that kept its engine waiting, and copies to the device queued after it.
Reason late_copies_back(const Observed& run) {
  std::size_t found = 0;
  for (const auto& [engine, copies] : by_engine(run.session))
    for (std::size_t i = 1; i + 1 < copies.size(); ++i) {
      const TimedOperation &before = *copies[i - 1], &back = *copies[i], &after = *copies[i + 1];
      found += back.kind == OperationKind::copy_to_host && back.start_s > before.end_s &&
               after.kind == OperationKind::copy_to_device && after.stream != back.stream &&
               after.issued_s <= before.end_s;
    }
  if (found < 2) return std::nullopt;
  return Clue{
      .likely_cause = fmt::format(
          "{} copies to the device wait in the copy engine's queue after a copy to the host of another "
          "stream, which waits for its kernel",
          found)};
}

/// Copies to the device that start when the copy to the host before them in their stream ends.
Reason few_buffers(const Observed& run) {
  std::map<vgpu::StreamId, const TimedOperation*> last;
  std::size_t found = 0;
  for (const TimedOperation& one : run.session.timeline) {
    if (!is_work(one)) continue;
    const TimedOperation*& before = last[one.stream];
    found += one.kind == OperationKind::copy_to_device && before != nullptr &&
             before->kind == OperationKind::copy_to_host && before->end_s > one.issued_s &&
             one.start_s <= before->end_s;
    before = &one;
  }
  if (found < 2) return std::nullopt;
  return Clue{.likely_cause = fmt::format(
                  "{} copies to the device wait until a copy to the host in the same stream has read its "
                  "buffer: there are too few sets of buffers",
                  found)};
}

}  // namespace

std::optional<Clue> why_no_overlap(const SessionReport& session, const SourceText& source,
                                   const harness::Job& job) {
  const Observed run{session, source, job.entry, job};
  for (const auto find : {pageable, kernel_accesses, partial_warps, long_kernels, default_stream, one_stream,
                          blocking_copies, copies_without_stream, device_waits, stream_waits, small_pieces,
                          repeated_copies, many_copies, late_copies_back, few_buffers, some_waits})
    if (auto found = find(run)) return found;
  return std::nullopt;
}

}  // namespace grader
