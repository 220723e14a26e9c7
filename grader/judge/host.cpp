#include "judge/host.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "base/ascii.hpp"
#include "judge/advice.hpp"
#include "judge/argument_lists.hpp"
#include "judge/code_text.hpp"
#include "judge/crash.hpp"
#include "judge/declarations.hpp"
#include "judge/host_problem.hpp"
#include "judge/launch_configuration.hpp"
#include "judge/program.hpp"
#include "judge/refused_launch.hpp"
#include "judge/source_hints.hpp"
#include "judge/wording.hpp"

namespace grader {
namespace {

using End = CaseRun::End;

// ---- how the process ended

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
                      "a loop in the host code never ends, it waits for something that never happens, or it "
                      "launches kernels again and again",
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

Diagnostic missing_entry(const std::string& entry, const std::string& workload, const SourceText& source) {
  Diagnostic missing = host_problem(
      "WG-C02", fmt::format("the function `{}` is missing", entry),
      "it was renamed or removed, or its parameters differ from the header's",
      "keep the name and the parameters that the lab's header declares, and include that header");
  const std::string header = "lab/" + workload + ".hpp";
  const auto line = definition_of(source, entry);
  const bool is_included = std::any_of(source.lines.begin(), source.lines.end(), [&](const std::string& one) {
    return code_of(one).find(header) != std::string::npos;
  });
  if (line && !is_included) {
    missing.likely_cause = fmt::format(
        "line {} defines it, but the file does not include {}, whose declaration makes it visible", *line,
        header);
    missing.next_step = fmt::format("#include \"{}\" at the beginning of the file", header);
  } else if (line) {
    missing.likely_cause = fmt::format(
        "line {} defines a function of this name whose parameters differ from the header's: another type, or "
        "one `const` more or less, makes it another function",
        *line);
    missing.next_step = "copy the parameters from the lab's header";
  }
  return missing;
}

Diagnostic grader_problem(const std::string& what) {
  return host_problem("WG-G10", "the grader failed, not the submission: " + cleaned(what), "",
                      "grade it again; `warpgrade doctor` checks this machine");
}

// ---- CUDA calls

constexpr int kErrorNotReady = 600;  // cudaErrorNotReady: for a query this is not a failure

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
  constexpr std::uint64_t kFew = 16 * sizeof(float);
  // Of one element, four are also four times as many bytes.
  const bool is_slightly_longer = room.copied > room.available && room.copied - room.available < kFew &&
                                  room.available % sizeof(float) == 0;
  if (is_slightly_longer &&
      (room.available == sizeof(float) || room.copied != room.available * sizeof(float)))
    return {fmt::format("the copy is {} bytes longer than the array: its size is rounded up, or counts an "
                        "element that does not exist",
                        room.copied - room.available),
            "copy the elements that exist: their number times sizeof(float)"};
  if (room.copied == room.available * sizeof(float))
    return {"the number of bytes is multiplied by sizeof(float) twice, or the array was allocated without it",
            "allocate and copy the number of elements times sizeof(float), once"};
  return {
      "the copy is larger than the array: it has the size of another array, or the array is too small; a "
      "buffer that is kept between calls (static) has the size that an earlier call needed",
      "copy as many bytes as the smaller of the two arrays has: its number of elements times sizeof(float)"};
}

Advice advice_on_arguments(const std::string& call, const std::string& detail) {
  if (detail.find("the pointer's address is null") != std::string::npos)
    return {
        "the call gets the value of the pointer, which is null, instead of the pointer's address: a cast "
        "such as (void**)d_x only hides this",
        "pass the pointer's address, without a cast: &d_x"};
  if (detail.ends_with(" is a null pointer"))
    return {"no call has given this pointer memory: an allocation is missing, or it got another pointer",
            "allocate memory for each pointer before its first use: cudaMalloc(&pointer, bytes)"};
  if (detail.find(" at offset 0 ") != std::string::npos)  // of a variable (core/runtime.cpp, as above)
    return {
        "the copy is larger than the variable: its declaration has too few elements for the largest case, or "
        "the copy has the size of another array",
        "declare as many elements as the largest case needs, and copy as many bytes as are used"};
  if (detail.find(" at offset ") != std::string::npos)
    return {
        "the bytes from the offset on do not fit into the variable: the offset, the fourth argument, is in "
        "bytes, and the direction comes after it (cudaMemcpyHostToDevice in its place is the offset 1)",
        "leave out offset and direction: cudaMemcpyToSymbol(variable, h_values, bytes); compare the number "
        "of "
        "bytes with the variable's size"};
  if (detail.find(" begins ") != std::string::npos)  // next to an array (memory/copy.cpp, as above)
    return {
        "the pointer is outside of the array: it has moved to a segment or row that does not exist, or its "
        "offset is negative or counted in bytes",
        "copy only if the offset is at least 0 and below the number of elements; pointers count in elements"};
  if (detail.find("larger than any memory") != std::string::npos)
    return {
        "the number of bytes is negative: a length such as n - first is below 0, because the segment does "
        "not "
        "exist",
        "compute lengths as int, and copy only if they are greater than 0"};
  if (detail.find("memory that has been freed") != std::string::npos)
    return {
        "cudaFree was called before, in this call of the function or in an earlier one: a pointer that is "
        "static or global still has the old address",
        "allocate again after cudaFree, or free the memory after its last use"};
  if (detail.find("bytes of constant memory") != std::string::npos)
    return {
        "the file's __constant__ variables together are larger than constant memory, so that no kernel of "
        "the "
        "file can be launched",
        "keep at most 64 KiB in __constant__ variables, and larger tables in global memory"};
  if (call.starts_with("cudaFree"))
    return {"this call cannot free the pointer, or the memory was already freed",
            "free each pointer once: with cudaFree if it is from cudaMalloc, with cudaFreeHost if it is from "
            "cudaHostAlloc or cudaMallocHost"};
  if (call.starts_with("cudaMemcpy") || call.starts_with("cudaMemset"))
    return {"a pointer, the direction or the number of bytes does not match the memory",
            "check that both pointers match the direction and that the size is in bytes; copy __constant__ "
            "and __device__ variables with cudaMemcpyToSymbol and cudaMemcpyFromSymbol"};
  if (!detail.empty()) return {"", "repair what the first line says about the call"};
  return {"an argument is wrong, or an earlier kernel failed", "check the call's arguments"};
}

/// Of a variable that the virtual GPU has no room for (Runtime::variable()).
bool is_large_variable(const vgpu::cudart::ApiFailure& failure) {
  return failure.detail.starts_with("variable ") &&
         failure.detail.find("does not fit in device memory") != std::string::npos;
}

/// `error` numbers are cudaError_t's; see error_name().
Advice advice_on(const vgpu::cudart::ApiFailure& failure) {
  if (is_large_variable(failure))
    return {
        "the variable has a fixed size, for instance that of the largest case, which this device has no "
        "memory for",
        "allocate what n elements need with cudaMalloc, and free it with cudaFree"};
  switch (failure.error) {
    case 2:
      return {"the buffers need more memory than this device has",
              "allocate what fits, reuse it for one piece after another, of the size that the function is "
              "given, and free memory that is no longer needed"};
    case 13:
      return {"the argument is not a __constant__ or __device__ variable",
              "pass the variable itself, not its address, a pointer or a string"};
    case 400:
      if (failure.detail.find("cudaDeviceReset") != std::string::npos)
        return {
            "cudaDeviceReset destroys all streams, events and memory of the process, also those of the "
            "code that calls the function",
            "remove the call of cudaDeviceReset"};
      return {"the stream or event was already destroyed, or never created",
              "create it before its first use, and destroy it after its last"};
    case 712:
      return {
          "the array is registered twice, an earlier call of the function did not unregister it, or it is "
          "pinned already: by cudaMallocHost, cudaHostAlloc or the caller",
          "register pageable arrays only, and call cudaHostUnregister for each of them on every path to "
          "the end of the function"};
    case 713:
      return {"the memory was already unregistered, or never registered",
              "unregister each array once, with the pointer that was registered"};
    case 700:
    case 716:
    case 719:
      return {"a kernel failed while it ran; the next call reports it",
              "run on the virtual GPU (--device virtual), which reports where"};
    default:
      if (const auto room = room_in(failure.detail)) return advice_on_room(*room);
      if (failure.detail.find("reach past the end of the host's pinned memory") != std::string::npos)
        return {
            "the copy is longer than what is left of the host's memory: the last piece of an array is often "
            "shorter than the others; or the memory was allocated or registered with a number of elements in "
            "place of bytes",
            "compute the length of each piece: the smaller of the piece's size and n - first; allocate and "
            "register elements * sizeof(float) bytes"};
      if (failure.detail.find("cudaHostRegisterReadOnly") != std::string::npos)
        return {"the array is registered as memory that the device only reads",
                "register arrays that the device writes to with cudaHostRegisterDefault"};
      return advice_on_arguments(failure.call, failure.detail);
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
  static constexpr std::array<std::pair<int, const char*>, 19> kNames{
      {{1, "cudaErrorInvalidValue"},
       {2, "cudaErrorMemoryAllocation"},
       {9, "cudaErrorInvalidConfiguration"},
       {13, "cudaErrorInvalidSymbol"},
       {17, "cudaErrorInvalidDevicePointer"},
       {21, "cudaErrorInvalidMemcpyDirection"},
       {98, "cudaErrorInvalidDeviceFunction"},
       {101, "cudaErrorInvalidDevice"},
       {209, "cudaErrorNoKernelImageForDevice"},
       {214, "cudaErrorECCUncorrectable"},
       {400, "cudaErrorInvalidResourceHandle"},
       {700, "cudaErrorIllegalAddress"},
       {701, "cudaErrorLaunchOutOfResources"},
       {702, "cudaErrorLaunchTimeout"},
       {712, "cudaErrorHostMemoryAlreadyRegistered"},
       {713, "cudaErrorHostMemoryNotRegistered"},
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
      return EndVerdict{Verdict::compile_error, missing_entry(job.entry, job.adapter, source)};
    case End::crashed:
      return EndVerdict{Verdict::runtime_error, diagnose_crash(run, job, source)};
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

namespace {

/// "h_a + first * sizeof(float)" is one of the two pointers of a copy.
bool adds_bytes_to_pointer(std::string_view line) {
  const std::size_t list = line.find('(', line.find("cudaMem"));
  if (list == std::string_view::npos) return false;
  const std::vector<std::string> arguments = parts_of(line.substr(list));
  const auto adds_bytes = [](const std::string& argument) {
    const std::size_t plus = argument.find('+');
    return plus != std::string::npos && (argument.find("sizeof", plus) != std::string::npos ||
                                         argument.find("* 4", plus) != std::string::npos);
  };
  return std::any_of(arguments.begin(), arguments.begin() + std::min<long>(2, std::ssize(arguments)),
                     adds_bytes);
}

/// "&d_x" of `cudaMemcpy(&d_x, …)`, if one of the two pointers of a copy is written like that; empty: none
/// is.
std::string address_of_pointer(std::string_view line) {
  const std::size_t list = line.find('(', line.find("cudaMem"));
  if (list == std::string_view::npos) return "";
  const std::vector<std::string> arguments = parts_of(line.substr(list));
  for (std::size_t i = 0; i < std::min<std::size_t>(2, arguments.size()); ++i) {
    const std::string_view argument = trimmed(arguments[i]);
    if (argument.starts_with("&d_") && argument.find('[') == std::string_view::npos)
      return std::string(argument);
  }
  return "";
}

/// The variable of the device in the statement that begins in this line; "": none.
std::string device_variable_in_statement(const SourceText& source, std::size_t line) {
  for (; line > 0 && line <= source.lines.size(); ++line) {
    std::string variable = device_variable_in(source, static_cast<std::uint32_t>(line));
    if (!variable.empty() || code_of(source.lines[line - 1]).find(';') != std::string_view::npos)
      return variable;
  }
  return "";
}

/// An array that the copy takes for device memory is in host memory.
void name_host_memory(const SourceText& source, Diagnostic& failed) {
  const std::string variable =
      failed.where ? device_variable_in_statement(source, static_cast<std::size_t>(failed.where->line)) : "";
  if (!variable.empty()) {
    failed.likely_cause = fmt::format(
        "`{}` is a variable of the device: in host code, its name has an address of the host", variable);
    failed.next_step = fmt::format(
        "copy to it with cudaMemcpyToSymbol({0}, h_values, bytes), and from it with "
        "cudaMemcpyFromSymbol(h_values, {0}, bytes)",
        variable);
    return;
  }
  const std::string address = address_of_pointer(failed.source_line);
  if (address.empty()) {
    failed.likely_cause =
        "the pointer is an address in host memory, as from malloc or new, or the direction is the opposite "
        "one";
    failed.next_step =
        "allocate the array with cudaMalloc; the destination of a copy comes first, then the source";
    return;
  }
  failed.likely_cause =
      fmt::format("`{}` is the address of the pointer itself, which is a variable of the host", address);
  failed.next_step = fmt::format("pass the pointer: {}, without &", address.substr(1));
}

void name_bytes_in_pointer(Diagnostic& failed) {
  failed.likely_cause =
      "a number of bytes is added to a pointer: C++ counts elements there, so that `h_a + first * "
      "sizeof(float)` is four times as far from h_a as meant";
  failed.next_step =
      "add elements to pointers (h_a + first), and multiply only the size of the copy by sizeof(float)";
}

}  // namespace

std::vector<Diagnostic> diagnose_calls(const CaseRun& run, const SourceText& source) {
  std::vector<Diagnostic> found;
  const auto& failures = run.session.failures;
  const auto& launches = run.session.launches;
  const auto launch = std::find_if(launches.begin(), launches.end(), is_refused);
  if (launch != launches.end()) {
    found.push_back(refused_launch(*launch, source));
    const auto call = std::find_if(failures.begin(), failures.end(), is_launch);
    if (call != failures.end()) locate_call(found.back(), call->place, source);
  }
  for (const std::string& name : run.session.unsupported) {
    found.push_back(missing_call(name));
    const auto call =
        std::find_if(failures.begin(), failures.end(), [&](const auto& one) { return one.call == name; });
    if (call != failures.end()) locate_call(found.back(), call->place, source);
  }
  if (!found.empty()) return found;  // other failures follow from these

  const auto failure = std::find_if(failures.begin(), failures.end(),
                                    [](const auto& one) { return one.error != kErrorNotReady; });
  if (failure != failures.end()) {
    found.push_back(failure->is_ignored ? ignored_failure(*failure) : failed_call(*failure));
    found.back().where.reset();  // a line of the harness does not help the student
    locate_call(found.back(), failure->place, source);
    constexpr int kInvalidValue = 1;
    if (failure->error == kInvalidValue && failure->detail.ends_with("is not device memory"))
      name_host_memory(source, found.back());
    if (failure->error == kInvalidValue && adds_bytes_to_pointer(found.back().source_line))
      name_bytes_in_pointer(found.back());
  }
  if (found.empty() && !run.answer.problem.empty()) found.push_back(harness_problem(run.answer.problem));
  return found;
}

void advise_on_refusal(std::vector<Diagnostic>& calls, const CaseRun& run, const harness::Job& job,
                       const SourceText& source) {
  const auto& launches = run.session.launches;
  const auto refused = std::find_if(launches.begin(), launches.end(), is_refused);
  if (refused == launches.end() || calls.empty() || calls.front().code != "WG-H07") return;
  Diagnostic& problem = calls.front();
  const std::array exchanged{&*refused};
  if (auto mistake = exchanged_grid(source, exchanged, job.entry)) {
    advise(problem, *std::move(mistake));
  } else if (!job.needs_launch) {
    problem.likely_cause =
        "the device cannot launch this configuration, and the function does not return the launch's error: "
        "it ignores it, returns cudaSuccess, or ends the program";
    problem.next_step =
        "return cudaGetLastError() right after the launch: it is the launch's error, and resets it";
  } else if (!job.earlier.empty() && !is_refused(launches.back())) {
    problem.likely_cause =
        "this launch, in an earlier call, failed and its error was not reset: the next check, after a launch "
        "that succeeded, reports the old error";
    problem.next_step =
        "ask for each launch's error with cudaGetLastError(), which resets it; cudaPeekAtLastError() "
        "does not";
  } else if (run.end == CaseRun::End::finished && launches.size() <= job.earlier.size()) {
    problem.likely_cause =
        "this launch, in an earlier call, failed, and calls after it launch nothing: the error, or a "
        "variable that depends on it, is kept from call to call";
    problem.next_step = "let every call launch the kernel, and use the error of this launch only";
  }
}

std::optional<Diagnostic> diagnose_left_error(const CaseRun& run, const harness::Job& job,
                                              const SourceText& source) {
  const std::string found_by_harness = "a launch in " + job.entry + ": ";  // harness/calls.cpp
  if (job.needs_launch || !run.answer.problem.starts_with(found_by_harness)) return std::nullopt;
  Diagnostic problem =
      host_problem("WG-H07", fmt::format("`{}` returns without resetting the error of its launch", job.entry),
                   "the function does not ask for the error, or asks with cudaPeekAtLastError, which does "
                   "not reset it: the caller's next check then reports it for a call that succeeded",
                   "call cudaGetLastError() right after the launch: it returns the error and resets it");
  problem.first = cleaned(run.answer.problem.substr(found_by_harness.size()));
  const auto& launches = run.session.launches;
  const auto launch = std::find_if(launches.begin(), launches.end(), is_refused);
  if (launch != launches.end())
    problem.what += fmt::format(": `{}` could not be launched: {}", kernel_name(launch->kernel),
                                cleaned(launch->error_detail));
  const auto& failures = run.session.failures;
  const auto call = std::find_if(failures.begin(), failures.end(), is_launch);
  if (call != failures.end()) locate_call(problem, call->place, source);
  return problem;
}

}  // namespace grader
