#include "judge/streams.hpp"

#include <fmt/format.h>

#include "judge/memory_names.hpp"
#include "judge/wording.hpp"

namespace grader {
namespace {

using vgpu::OperationKind;
using vgpu::cudart::MemoryCall;
using vgpu::cudart::MemoryKind;
using vgpu::cudart::StreamRace;
using vgpu::cudart::StreamWork;

std::string stream_name(vgpu::StreamId stream) {
  return stream == vgpu::kLegacyStream ? "the default stream" : fmt::format("stream {}", stream);
}

/// "the copy to the device in stream 2"
std::string work_name(const StreamWork& work) {
  const std::string in = " in " + stream_name(work.stream);
  if (work.call == MemoryCall::allocate) return "cudaMallocAsync" + in;
  if (work.call == MemoryCall::free) return "cudaFreeAsync" + in;
  switch (work.kind) {
    case OperationKind::copy_to_device:
      return "the copy to the device" + in;
    case OperationKind::copy_to_host:
      return "the copy to the host" + in;
    case OperationKind::copy_on_device:
      return "the copy on the device" + in;
    case OperationKind::fill:
      return "the fill" + in;
    default:
      return fmt::format("`{}`{}", kernel_name(work.kernel), in);
  }
}

std::string verb(const StreamWork& work, bool is_write) {
  if (work.call == MemoryCall::allocate) return "allocates";
  if (work.call == MemoryCall::free) return "frees";
  return is_write ? "writes" : "reads";
}

/// "; the copy to the device in stream 2 was issued at x.cu:12"
std::string issued_text(const StreamWork& work) {
  const std::string place = place_text(work.place);
  return place.empty() ? "" : fmt::format("; {} was issued{}", work_name(work), place);
}

std::string memory_name(const StreamRace& race) {
  const std::string bytes = fmt::format("{} bytes", race.size_bytes);
  if (race.allocation == 0) return bytes + " of host memory, or of a device variable";
  return fmt::format("{} of allocation {}", bytes, race.allocation);
}

const char* kind_name(MemoryKind kind) {
  if (kind == MemoryKind::device) return "device";
  if (kind == MemoryKind::managed) return "managed";
  return kind == MemoryKind::registered ? "registered" : "pinned";
}

/// What the program has waited for in place of the work.
void name_host_wait(const StreamRace& race, Diagnostic& diagnostic) {
  using Kind = vgpu::cudart::HostWait::Kind;
  const std::string work = work_name(race.earlier), other = stream_name(race.host_wait.of);
  switch (race.host_wait.kind) {
    case Kind::none:
      return;
    case Kind::stream:
      diagnostic.likely_cause = fmt::format("the program has waited for {}, and not for {}", other, work);
      diagnostic.next_step =
          "wait for the stream of the work, too; stream 1 is the first stream that the program created";
      return;
    case Kind::unrecorded:
      diagnostic.likely_cause = fmt::format(
          "the program has waited for an event that was not recorded before: such a wait returns "
          "immediately, and {} continues",
          work);
      diagnostic.next_step = "record the event after the work, in its stream: cudaEventRecord(event, stream)";
      return;
    case Kind::recorded_before:
      diagnostic.likely_cause = fmt::format(
          "the event that the program has waited for was recorded before {} was issued, so it does not "
          "include it",
          work);
      diagnostic.next_step = "record the event after the last work that it is to include";
      return;
    case Kind::other_event:
      diagnostic.likely_cause =
          fmt::format("the event that the program has waited for was recorded in {}, and does not include {}",
                      other, work);
      diagnostic.next_step =
          "record the event in the stream of the work, after it: cudaEventRecord(event, stream), which "
          "without its second argument takes the default stream";
      return;
    case Kind::stream_waits:
      diagnostic.likely_cause = fmt::format(
          "cudaStreamWaitEvent lets a stream wait for {}: the program itself continues immediately", work);
      diagnostic.next_step = "wait with cudaEventSynchronize for the event, or with cudaStreamSynchronize";
      return;
  }
}

/// Host code that did not wait for the work.
Diagnostic diagnose_host(const StreamRace& race, const SourceReader& read) {
  Diagnostic diagnostic;
  diagnostic.code = "WG-R08";
  diagnostic.count = race.count;
  const bool is_free = race.later.call == MemoryCall::free_by_host;
  const char* const use = is_free             ? "frees"
                          : !race.by_host     ? "unregisters"
                          : race.later_writes ? "changes"
                                              : "reads";
  diagnostic.what = fmt::format("host code {} memory that {} might still {}", use, work_name(race.earlier),
                                race.earlier_writes ? "write" : "read");
  locate(diagnostic, race.by_host ? race.place : race.later.place, read);
  diagnostic.first = fmt::format("{} bytes of {} memory{}", race.size_bytes, kind_name(race.memory),
                                 issued_text(race.earlier));
  diagnostic.likely_cause =
      race.earlier.kind == OperationKind::kernel
          ? "a launch returns immediately, and the program does not wait for the kernel"
          : "an asynchronous copy returns immediately, and the program does not wait for it";
  diagnostic.next_step =
      "before that line, wait with cudaStreamSynchronize or cudaDeviceSynchronize, or wait for an event "
      "recorded after the work";
  if (race.in_host_function) {
    diagnostic.likely_cause = fmt::format(
        "a host function does this when its own stream reaches it; the work is in {}, which it does not "
        "follow: the function is in another stream, or what its argument points to has changed since it was "
        "issued",
        stream_name(race.earlier.stream));
    diagnostic.next_step =
        "issue the host function to the stream of the work, after it, and give each one data of its own, "
        "which stay as they are until the stream has been waited for";
  }
  if (!diagnostic.where && !is_free && !race.in_host_function) {  // the caller's line
    diagnostic.likely_cause =
        "the function returns while work that it issued is not complete: a wait is missing, or it waits for "
        "another stream";
    diagnostic.next_step =
        "before the function returns, wait with cudaStreamSynchronize for every stream that it used, or with "
        "cudaDeviceSynchronize for all of them";
  }
  if (race.by_host && !race.in_host_function) name_host_wait(race, diagnostic);
  if (is_free) {
    diagnostic.likely_cause =
        "cudaFree of memory from cudaMallocAsync waits for nothing: CUDA assumes that all work that uses it "
        "has ended";
    diagnostic.next_step =
        "free it with cudaFreeAsync in the stream that uses it, or wait with cudaStreamSynchronize first";
  }
  return diagnostic;
}

/// Work that continues after the function has returned, and that the caller's work does not wait for.
Diagnostic diagnose_caller(const StreamRace& race, const SourceReader& read, const std::string& array) {
  Diagnostic diagnostic;
  diagnostic.code = "WG-R08";
  diagnostic.count = race.count;
  diagnostic.what = fmt::format("{} might still write {} after the function has returned",
                                work_name(race.earlier), array.empty() ? "a result" : "`" + array + "`");
  locate(diagnostic, race.earlier.place, read);
  diagnostic.first = memory_name(race);
  diagnostic.likely_cause = fmt::format(
      "{} was created with cudaStreamNonBlocking: work in the default stream, such as the caller's copy of "
      "the result, does not wait for it",
      stream_name(race.earlier.stream));
  diagnostic.next_step =
      "before the function returns, wait with cudaStreamSynchronize; or use the default stream, or a stream "
      "from cudaStreamCreate";
  return diagnostic;
}

bool are_copies_to_one_place(const StreamRace& race) {
  return race.earlier.kind == OperationKind::copy_to_host && race.later.kind == OperationKind::copy_to_host &&
         race.earlier_writes && race.later_writes && race.allocation == 0;
}

bool is_default(const StreamWork& work) { return work.stream == vgpu::kLegacyStream; }

/// Work in the default stream next to work in a stream that the default stream does not wait for: usually the
/// argument is missing that names the stream.
void advise_on_default_stream(const StreamWork& in_default, const StreamWork& other, Diagnostic& diagnostic) {
  const bool is_kernel = in_default.kind == OperationKind::kernel;
  diagnostic.likely_cause = fmt::format(
      "{} names no stream, so it is in the default stream, which does not wait for {}: that was created with "
      "cudaStreamNonBlocking",
      is_kernel ? fmt::format("the launch of `{}`", kernel_name(in_default.kernel)) : "the copy or fill",
      stream_name(other.stream));
  diagnostic.next_step =
      is_kernel
          ? fmt::format("pass the stream as the launch's fourth argument: {}<<<grid, block, 0, stream>>>(…)",
                        kernel_name(in_default.kernel))
          : "use cudaMemcpyAsync or cudaMemsetAsync with the stream as last argument";
  diagnostic.next_step += "; streams have numbers in the order in which the program created them";
}

/// How the program's events miss the two pieces of work.
void name_events(const StreamRace& race, Diagnostic& diagnostic) {
  using vgpu::cudart::EventUse;
  const std::string before = stream_name(race.earlier.stream), after = stream_name(race.later.stream);
  const std::string work = work_name(race.earlier);
  switch (race.events) {
    case EventUse::none:
      return;
    case EventUse::no_wait:
      diagnostic.likely_cause = fmt::format(
          "{} waits for no event: cudaStreamWaitEvent is missing, names another stream, or waits for an "
          "event that was not recorded before, which waits for nothing",
          after);
      break;
    case EventUse::not_recorded:
      diagnostic.likely_cause = fmt::format(
          "{} has waited for events, but none of them was recorded in {}: cudaEventRecord names another "
          "stream",
          after, before);
      break;
    case EventUse::recorded_before:
      diagnostic.likely_cause = fmt::format(
          "the events of {} were recorded before {} was issued, so they do not include it", before, work);
      break;
    case EventUse::other_event:
      diagnostic.likely_cause = fmt::format(
          "an event was recorded after {}, but {} waits for another one, or waited before it was recorded",
          work, after);
      break;
  }
  diagnostic.next_step = fmt::format(
      "record an event in {0} after {1}, then let {2} wait for this event (cudaStreamWaitEvent) before it "
      "uses the memory; stream 1 is the first stream that the program created",
      before, work, after);
}

}  // namespace

Diagnostic diagnose_stream_race(const StreamRace& race, const SourceReader& read, const std::string& array) {
  const bool ends_memory =
      race.later.call == MemoryCall::unregister || race.later.call == MemoryCall::free_by_host;
  if (race.by_host || ends_memory) return diagnose_host(race, read);
  if (race.later.call == MemoryCall::read_by_caller) return diagnose_caller(race, read, array);
  Diagnostic diagnostic;
  diagnostic.code = "WG-R08";
  diagnostic.count = race.count;
  diagnostic.what = fmt::format("{} {} memory that {} {}, and nothing orders the two", work_name(race.later),
                                verb(race.later, race.later_writes), work_name(race.earlier),
                                verb(race.earlier, race.earlier_writes));
  locate(diagnostic, race.later.place, read);
  diagnostic.first = memory_name(race) + issued_text(race.earlier);
  const bool is_allocation = race.earlier.call != MemoryCall::none || race.later.call != MemoryCall::none;
  diagnostic.likely_cause =
      is_allocation ? "cudaMallocAsync and cudaFreeAsync take effect in the order of their own stream only"
                    : "two streams share a buffer; only work in the same stream runs in the order of issue";
  diagnostic.next_step = fmt::format(
      "{}, or make one wait for the other with cudaEventRecord and cudaStreamWaitEvent; stream 1 is the "
      "first stream that the program created",
      is_allocation ? "allocate and free memory in the stream that uses it"
                    : "give each stream buffers of its own");
  if (!is_allocation) name_events(race, diagnostic);
  if (are_copies_to_one_place(race)) {
    diagnostic.likely_cause =
        "the two copies write to the same place in host memory: the parts of the result that they bring "
        "overlap, or both go to one buffer";
    diagnostic.next_step =
        "let each part begin where the one before it ends: compare the step of the loop, and the first "
        "element of each stream's part, with the number of elements that a copy brings";
  }
  if (!is_allocation && is_default(race.earlier) != is_default(race.later)) {
    const bool is_later = is_default(race.later);
    advise_on_default_stream(is_later ? race.later : race.earlier, is_later ? race.earlier : race.later,
                             diagnostic);
  }
  return diagnostic;
}

}  // namespace grader
