#include "judge/host.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <utility>

#include <fmt/format.h>

#include "judge/program.hpp"
#include "judge/wording.hpp"

namespace grader {
namespace {

using End = CaseRun::End;

Diagnostic host_problem(std::string code, std::string what, std::string likely_cause, std::string next_step) {
  Diagnostic problem;
  problem.code = std::move(code);
  problem.what = std::move(what);
  problem.likely_cause = std::move(likely_cause);
  problem.next_step = std::move(next_step);
  return problem;
}

// ---- how the process ended

std::string signal_name(int signal) {
  static constexpr std::array<std::pair<int, const char*>, 9> kNames{
      {{SIGSEGV, "SIGSEGV, a wrong pointer"},
       {SIGBUS, "SIGBUS, a wrong pointer"},
       {SIGABRT, "SIGABRT, abort"},
       {SIGFPE, "SIGFPE, a division by zero"},
       {SIGILL, "SIGILL, an illegal instruction"},
       {SIGTRAP, "SIGTRAP"},
       {SIGSYS, "SIGSYS, a forbidden system call"},
       {SIGKILL, "SIGKILL"},
       {SIGPIPE, "SIGPIPE"}}};
  for (const auto& [number, name] : kNames)
    if (number == signal) return name;
  return fmt::format("signal {}", signal);
}

/// What the runtime library in the program printed about a crash (vgpu/cudart/client/memory/host_faults.cpp).
/// The program can print anything, so the note is used for advice only.
struct CrashNote {
  bool on_device_memory = false;
  std::string_view file;  ///< empty: unknown
  std::uint32_t line = 0;
};

CrashNote crash_note(std::string_view printed) {
  CrashNote note;
  note.on_device_memory = printed.find("warpgrade: WG-H14: ") != std::string_view::npos;
  constexpr std::string_view kPlace = "warpgrade: host code crashed at ";
  const std::size_t at = printed.rfind(kPlace);
  if (at == std::string_view::npos) return note;
  std::string_view place = printed.substr(at + kPlace.size());
  place = place.substr(0, place.find('\n'));
  const std::size_t colon = place.rfind(':');
  if (colon == std::string_view::npos) return note;
  note.file = place.substr(0, colon);
  std::from_chars(place.data() + colon + 1, place.data() + place.size(), note.line);
  return note;
}

/// The crash that the program reported to the device, which is also unverified.
CrashNote crash_note(const vgpu::cudart::HostCrash& crash) {
  const std::string_view file = crash.place.file;
  return {true, file.substr(file.rfind('/') + 1), crash.place.line};
}

/// What glibc prints when it finds that the data around a block of memory were overwritten.
bool is_heap_corrupt(std::string_view printed) {
  static constexpr std::array<std::string_view, 8> kMessages{"corrupted",
                                                             "free(): invalid next size",
                                                             "free(): invalid size",
                                                             "malloc(): invalid",
                                                             "malloc(): mismatching",
                                                             "malloc(): unaligned",
                                                             "munmap_chunk(): invalid",
                                                             "realloc(): invalid"};
  return std::any_of(kMessages.begin(), kMessages.end(), [&](std::string_view message) {
    return printed.find(message) != std::string_view::npos;
  });
}

const char* cause_of_crash(int signal, bool on_device_memory, std::string_view printed) {
  if (on_device_memory) return "host code dereferences a pointer to device memory";
  if (signal == SIGABRT && printed.find("stack smashing") != std::string_view::npos)
    return "a copy, or host code, writes past the end of a local array of the host";
  if (signal == SIGABRT && is_heap_corrupt(printed))
    return "a copy, or host code, writes past the end of a host array: compare the size of each copy to the "
           "host, in "
           "bytes, with the size of its array; freeing a wrong pointer has the same effect";
  switch (signal) {
    case SIGFPE:
      return "host code divides an integer by zero, often to compute a grid or block size";
    case SIGABRT:
      return "an uncaught exception, a failed assertion, or an invalid free of host memory";
    case SIGSYS:
      return "host code makes a system call that the sandbox forbids";
    default:
      return "host code dereferences a null or wrong pointer, or frees memory with a function that does not "
             "match its allocation; a device pointer cannot be used on the host";
  }
}

Diagnostic crash(const CaseRun& run, const SourceText& source) {
  const CrashNote note =
      run.session.host_crash ? crash_note(*run.session.host_crash) : crash_note(run.printed);
  Diagnostic problem = host_problem(
      "WG-H01", fmt::format("the program crashed ({})", signal_name(run.code)),
      cause_of_crash(run.code, note.on_device_memory, run.printed),
      note.on_device_memory ? "copy the data to the host with cudaMemcpy first, or do the work in the kernel"
                            : "print a message to stderr before each step of the host code; `warpgrade check "
                              "LAB --case NAME` shows the output");
  if (note.file == source.name) locate(problem, note.file, note.line, source);
  return problem;
}

/// What CUDA_CHECK (labs/include/lab/check.hpp) prints before it ends the program. The program can print
/// anything, so the text is used for advice only.
struct FailedCheck {
  std::string call, error;
  std::string_view file;
  std::uint32_t line = 0;
};

/// The last line of the form "saxpy.cu:17: cudaGetLastError() failed: cudaErrorInvalidValue (…)".
std::optional<FailedCheck> failed_check(std::string_view printed) {
  constexpr std::string_view kFailed = " failed: cuda";
  const std::size_t at = printed.rfind(kFailed);
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t start = printed.rfind('\n', at) + 1;  // npos + 1 is 0
  const std::string_view before = printed.substr(start, at - start);
  const std::size_t call = before.find(": ");
  if (call == std::string_view::npos || call == 0) return std::nullopt;
  const std::size_t colon = before.rfind(':', call - 1);
  if (colon == std::string_view::npos) return std::nullopt;
  FailedCheck check;
  std::from_chars(before.data() + colon + 1, before.data() + call, check.line);
  check.file = before.substr(0, colon);
  check.file = check.file.substr(check.file.rfind('/') + 1);
  check.call = cleaned(before.substr(call + 2));
  const std::string_view error = printed.substr(at + kFailed.size() - 4);
  check.error = cleaned(error.substr(0, error.find_first_of(" \n")));
  return check;
}

Diagnostic early_exit(const CaseRun& run, const SourceText& source) {
  Diagnostic problem = host_problem(
      "WG-H02", fmt::format("the program exited with code {} before its result was complete", run.code),
      "exit() or a failed check such as CUDA_CHECK ended it",
      "return from the function normally; the program's own output shows a failed check");
  const auto check = failed_check(run.printed);
  if (!check) return problem;
  problem.what = fmt::format("a failed check ended the program: {} returned {}", check->call, check->error);
  problem.likely_cause = "the call failed, or it returned the error of an earlier launch or kernel";
  problem.next_step = "correct the call, or fix the error that an earlier message reports";
  if (check->error == "cudaErrorNotReady") {
    problem.likely_cause =
        "the work is not finished yet: for a query this is not a failure, but the check ends the "
        "program";
    problem.next_step =
        "compare the query's result with cudaSuccess and cudaErrorNotReady yourself, or wait with "
        "cudaStreamSynchronize or cudaEventSynchronize";
  }
  if (check->file == source.name) locate(problem, check->file, check->line, source);
  return problem;
}

/// For the limits of wall-clock time and CPU time: an endless loop reaches both at about the same time.
Diagnostic no_time() {
  return host_problem("WG-H03", "the program ran longer than the time limit",
                      "a loop in the host code never ends, or it waits for something that never happens",
                      "check the loops around the launch and the arguments of waiting calls");
}

Diagnostic no_memory() {
  return host_problem("WG-H05", "the program used more memory than allowed",
                      "it allocates memory in a loop, or allocates far too much",
                      "allocate once, as much as the case's size needs, and free it");
}

Diagnostic too_much_output() {
  return host_problem("WG-H06", "the program printed more than allowed",
                      "a loop or a kernel contains a print statement",
                      "remove the prints before you hand in");
}

Diagnostic broken_channel(const std::string& detail) {
  std::string what = "something other than the harness wrote to the grader's channel";
  if (!detail.empty()) what += ": " + cleaned(detail);
  return host_problem("WG-H09", what, "the code writes to file descriptors that it did not open",
                      "print with printf or std::cout; do not use other file descriptors");
}

Diagnostic missing_entry(const std::string& entry) {
  return host_problem(
      "WG-C02", fmt::format("the function `{}` is missing", entry),
      "it was renamed or removed, or its parameters differ from the header's",
      "keep the name and the parameters that the lab's header declares, and include that header");
}

Diagnostic grader_problem(const std::string& what) {
  return host_problem("WG-G10", "the grader failed, not the submission: " + cleaned(what), "",
                      "grade it again; `warpgrade doctor` checks this machine");
}

// ---- CUDA calls

constexpr int kErrorNotReady = 600;  // cudaErrorNotReady: for a query this is not a failure

bool is_refused(const vgpu::LaunchRecord& launch) {
  return launch.error != vgpu::LaunchError::none && launch.error != vgpu::LaunchError::faulted;
}

Diagnostic refused_launch(const vgpu::LaunchRecord& launch) {
  Diagnostic problem = host_problem(
      "WG-H07",
      fmt::format("`{}` could not be launched: {}", kernel_name(launch.kernel), cleaned(launch.error_detail)),
      "the block or the shared memory is larger than this device allows",
      "choose block and tile sizes that the device allows");
  if (launch.grid.count() == 0) {
    problem.likely_cause = "the number of blocks is 0: it is rounded down, or computed from a size of 0";
    problem.next_step = "round the number of blocks up: lab::ceil_div(n, block)";
  } else if (launch.block.count() == 0) {
    problem.likely_cause = "the block has no threads: an extent of it is 0";
    problem.next_step = "give every extent of the block at least 1 thread";
  }
  problem.first = fmt::format("grid {}, block {}, {} bytes of dynamic shared memory", dimensions(launch.grid),
                              dimensions(launch.block), launch.dynamic_shared_bytes);
  return problem;
}

struct Advice {
  const char* likely_cause;
  const char* next_step;
};

/// The sizes in "4096 bytes, but the destination has room for 1024 up to the end of its …"
/// (vgpu/cudart/client/memory/copy.cpp).
struct Room {
  std::uint64_t copied = 0, available = 0;
};

std::optional<Room> room_in(std::string_view detail) {
  constexpr std::string_view kRoom = " has room for ";
  const std::size_t at = detail.find(kRoom);
  if (at == std::string_view::npos) return std::nullopt;
  Room room;
  std::from_chars(detail.data(), detail.data() + detail.size(), room.copied);
  std::from_chars(detail.data() + at + kRoom.size(), detail.data() + detail.size(), room.available);
  return room;
}

Advice advice_on_room(const Room& room) {
  if (room.available == sizeof(void*))
    return {"the array has 8 bytes, the size of a pointer: it was allocated with sizeof(pointer)",
            "allocate the number of elements times the size of an element: n * sizeof(float)"};
  if (room.copied == room.available * sizeof(float))
    return {"the number of bytes is multiplied by sizeof(float) twice, or the array was allocated without it",
            "allocate and copy the number of elements times sizeof(float), once"};
  return {
      "the copy is larger than the array: it has the size of another array, or the array is too small",
      "copy as many bytes as the smaller of the two arrays has: its number of elements times sizeof(float)"};
}

Advice advice_on_arguments(const std::string& call) {
  if (call.starts_with("cudaFree"))
    return {"this call cannot free the pointer, or the memory was already freed",
            "free each pointer once: with cudaFree if it is from cudaMalloc, with cudaFreeHost if it is from "
            "cudaHostAlloc or cudaMallocHost"};
  if (call.starts_with("cudaMemcpy") || call.starts_with("cudaMemset"))
    return {"a pointer, the direction or the number of bytes does not match the memory",
            "check that both pointers match the direction and that the size is in bytes; copy __constant__ "
            "and __device__ variables with cudaMemcpyToSymbol and cudaMemcpyFromSymbol"};
  return {"an argument is wrong, or an earlier kernel failed", "check the call's arguments"};
}

/// `error` numbers are cudaError_t's; see error_name().
Advice advice_on(const vgpu::cudart::ApiFailure& failure) {
  switch (failure.error) {
    case 2:
      return {"the buffers need more memory than this device has",
              "allocate what fits, reuse it for one piece after another, of the size that the function is "
              "given, and free memory that is no longer needed"};
    case 13:
      return {"the argument is not a __constant__ or __device__ variable",
              "pass the variable itself, not its address, a pointer or a string"};
    case 400:
      return {"the stream or event was already destroyed, or never created",
              "create it before its first use, and destroy it after its last"};
    case 700:
    case 716:
    case 719:
      return {"a kernel failed while it ran; the next call reports it",
              "run on the virtual GPU (--device virtual), which reports where"};
    default:
      if (const auto room = room_in(failure.detail)) return advice_on_room(*room);
      if (failure.detail.find("reach past the end of the host's pinned memory") != std::string::npos)
        return {
            "the copy is longer than what is left of the host's array: the last piece of an array is often "
            "shorter than the others",
            "compute the length of each piece: the smaller of the piece's size and n - first"};
      return advice_on_arguments(failure.call);
  }
}

Diagnostic failed_call(const vgpu::cudart::ApiFailure& failure) {
  const std::string detail = failure.detail.empty() ? "" : ": " + cleaned(failure.detail);
  const Advice advice = advice_on(failure);
  return host_problem(
      "WG-H08", fmt::format("{} failed with {}{}", cleaned(failure.call), error_name(failure.error), detail),
      advice.likely_cause, advice.next_step);
}

bool is_launch(const vgpu::cudart::ApiFailure& failure) { return failure.call.starts_with("cudaLaunch"); }

/// Only for calls in the student's file; the harness makes calls, too.
void locate_call(Diagnostic& problem, const vgpu::cudart::HostPlace& place, const SourceText& source) {
  if (place.file.substr(place.file.rfind('/') + 1) == source.name)
    locate(problem, place.file, place.line, source);
}

Diagnostic missing_call(const std::string& call) {
  return host_problem("WG-H10",
                      fmt::format("the virtual GPU does not support the runtime call {}", cleaned(call)),
                      "the code might be correct, but this device lacks the call",
                      "avoid the call, or use a real GPU with --device cuda");
}

Diagnostic harness_problem(const std::string& problem) {
  return host_problem("WG-H08", "a CUDA call after yours failed: " + cleaned(problem),
                      "a kernel failed while it ran; the next call reports it",
                      "run on the virtual GPU (--device virtual), which reports where");
}

}  // namespace

std::string error_name(int error) {
  // The errors that course programs encounter (CUDA Runtime API, enumeration cudaError).
  static constexpr std::array<std::pair<int, const char*>, 16> kNames{
      {{1, "cudaErrorInvalidValue"},
       {2, "cudaErrorMemoryAllocation"},
       {9, "cudaErrorInvalidConfiguration"},
       {13, "cudaErrorInvalidSymbol"},
       {17, "cudaErrorInvalidDevicePointer"},
       {21, "cudaErrorInvalidMemcpyDirection"},
       {98, "cudaErrorInvalidDeviceFunction"},
       {101, "cudaErrorInvalidDevice"},
       {209, "cudaErrorNoKernelImageForDevice"},
       {400, "cudaErrorInvalidResourceHandle"},
       {700, "cudaErrorIllegalAddress"},
       {701, "cudaErrorLaunchOutOfResources"},
       {702, "cudaErrorLaunchTimeout"},
       {716, "cudaErrorMisalignedAddress"},
       {719, "cudaErrorLaunchFailure"},
       {801, "cudaErrorNotSupported"}}};
  for (const auto& [number, name] : kNames)
    if (number == error) return fmt::format("{} ({})", name, number);
  return fmt::format("CUDA error {}", error);
}

std::optional<EndVerdict> diagnose_end(const CaseRun& run, const harness::Job& job,
                                       const SourceText& source) {
  switch (run.end) {
    case End::finished:
      return std::nullopt;
    case End::no_entry:
      return EndVerdict{Verdict::compile_error, missing_entry(job.entry)};
    case End::crashed:
      return EndVerdict{Verdict::runtime_error, crash(run, source)};
    case End::exited:
      return EndVerdict{Verdict::runtime_error, early_exit(run, source)};
    case End::wall_limit:
    case End::cpu_limit:
      return EndVerdict{Verdict::time_limit, no_time()};
    case End::memory_limit:
      return EndVerdict{Verdict::memory_limit, no_memory()};
    case End::output_limit:
      return EndVerdict{Verdict::output_limit, too_much_output()};
    case End::channel_broken:
      return EndVerdict{Verdict::runtime_error, broken_channel(run.session.protocol_error)};
    case End::stopped:
      return EndVerdict{Verdict::grader_fault, grader_problem("it was interrupted")};
    case End::grader_fault:
      break;
  }
  return EndVerdict{Verdict::grader_fault,
                    grader_problem(run.fault.empty() ? "no reason is known" : run.fault)};
}

std::vector<Diagnostic> diagnose_calls(const CaseRun& run, const SourceText& source) {
  std::vector<Diagnostic> found;
  const auto& failures = run.session.failures;
  const auto& launches = run.session.launches;
  const auto launch = std::find_if(launches.begin(), launches.end(), is_refused);
  if (launch != launches.end()) {
    found.push_back(refused_launch(*launch));
    const auto call = std::find_if(failures.begin(), failures.end(), is_launch);
    if (call != failures.end()) locate_call(found.back(), call->place, source);
  }
  for (const std::string& call : run.session.unsupported) found.push_back(missing_call(call));
  if (!found.empty()) return found;  // other failures follow from these

  const auto failure = std::find_if(failures.begin(), failures.end(),
                                    [](const auto& one) { return one.error != kErrorNotReady; });
  if (failure != failures.end()) {
    found.push_back(failure->is_ignored ? ignored_failure(*failure) : failed_call(*failure));
    found.back().where.reset();  // a line of the harness does not help the student
    locate_call(found.back(), failure->place, source);
  }
  if (found.empty() && !run.answer.problem.empty()) found.push_back(harness_problem(run.answer.problem));
  return found;
}

}  // namespace grader
