#include "judge/crash.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "judge/code_text.hpp"
#include "judge/host_problem.hpp"
#include "judge/source_hints.hpp"
#include "judge/wording.hpp"

namespace grader {
namespace {

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

/// An access by host code that the runtime library printed, too: "warpgrade: host code read byte 4 of the 4
/// bytes of …".
struct HostAccess {
  bool is_write = false;
  std::int64_t byte = 0;  ///< from the start of the memory
  std::uint64_t size_bytes = 0;
  std::string_view rest;  ///< of the line
};

/// `target` follows the size: " bytes of array ".
std::optional<HostAccess> host_access(std::string_view printed, std::string_view target) {
  constexpr std::string_view kNote = "warpgrade: host code ", kByte = " byte ", kOf = " of the ";
  const std::size_t at = printed.rfind(target);
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t start = printed.rfind('\n', at) + 1;  // npos + 1 is 0
  const std::string_view note = printed.substr(start, at - start);
  const std::size_t byte = note.find(kByte), of = note.rfind(kOf);
  if (!note.starts_with(kNote) || byte == std::string_view::npos || of == std::string_view::npos)
    return std::nullopt;
  HostAccess access;
  access.is_write = note.substr(kNote.size(), byte - kNote.size()) == "wrote";
  std::from_chars(note.data() + byte + kByte.size(), note.data() + note.size(), access.byte);
  std::from_chars(note.data() + of + kOf.size(), note.data() + note.size(), access.size_bytes);
  const std::string_view rest = printed.substr(at + target.size());
  access.rest = rest.substr(0, rest.find('\n'));
  return access;
}

/// An access outside an array of the harness. `rest` is the array's name.
std::optional<HostAccess> missed_array(std::string_view printed) {
  return host_access(printed, " bytes of array ");
}

constexpr std::string_view kFromHeap = "memory from malloc or new";

/// An access outside a block without a name: "pinned memory", "memory from malloc or new".
std::optional<HostAccess> missed_block(std::string_view printed) {
  for (const std::string_view kind :
       {kFromHeap, std::string_view("pinned memory"), std::string_view("managed memory")})
    if (auto access = host_access(printed, fmt::format(" bytes of {}\n", kind))) {
      access->rest = kind;
      return access;
    }
  return std::nullopt;
}

/// An access to memory that the program has freed. `rest`: "cudaFreeHost freed at k.cu:9, allocated at
/// k.cu:4".
std::optional<HostAccess> freed_memory(std::string_view printed) {
  return host_access(printed, " bytes of memory that ");
}

/// A full stack of the host, which the runtime library printed, too.
struct FullStack {
  std::uint64_t size_bytes = 0, needed_bytes = 0;
};

std::optional<FullStack> full_stack(std::string_view printed) {
  constexpr std::string_view kStack = "warpgrade: the stack of host code has ",
                             kNeeds = " bytes, and it needs ";
  const std::size_t at = printed.rfind(kStack), needs = printed.rfind(kNeeds);
  if (at == std::string_view::npos || needs == std::string_view::npos || needs < at) return std::nullopt;
  FullStack stack;
  const char* end = printed.data() + printed.size();
  std::from_chars(printed.data() + at + kStack.size(), end, stack.size_bytes);
  std::from_chars(printed.data() + needs + kNeeds.size(), end, stack.needed_bytes);
  return stack;
}

void describe_full_stack(Diagnostic& problem, const FullStack& stack) {
  constexpr double kMiB = 1 << 20;
  problem.what = "the program crashed (SIGSEGV, the stack of the host is full)";
  problem.first = fmt::format("the stack has {:.3g} MiB, and host code needs at least {:.3g} MiB",
                              static_cast<double>(stack.size_bytes) / kMiB,
                              static_cast<double>(stack.needed_bytes) / kMiB);
  problem.likely_cause = "a local array of a host function is too large, or a recursion does not end";
  problem.next_step =
      "allocate large arrays on the heap (std::vector<float> copy(n)), or use the array that you have; a "
      "local array is on the stack";
}

/// The line has free(…) or delete.
bool releases_host_memory(const std::string& line) {
  const std::string_view code = code_of(line);
  return contains_word(code, "free") || contains_word(code, "delete");
}

/// The line has a launch that gets its kernel's arguments in an array of their addresses.
bool launches_with_arguments(const std::string& line) {
  const std::string_view code = code_of(line);
  return contains_word(code, "cudaLaunchKernel") || contains_word(code, "cudaLaunchCooperativeKernel");
}

bool has_array(const harness::Job& job, std::string_view name) {
  const auto is_it = [&](const auto& array) { return array.name == name; };
  return std::any_of(job.inputs.begin(), job.inputs.end(), is_it) ||
         std::any_of(job.outputs.begin(), job.outputs.end(), is_it);
}

/// "index 1105, but `P` has 1105 elements". All elements of a job's arrays have 4 bytes.
std::string missed_index(const HostAccess& missed) {
  const std::int64_t index = (missed.byte < 0 ? missed.byte - 3 : missed.byte) / 4;
  return fmt::format("index {}, but `{}` has {}", index, missed.rest,
                     counted(missed.size_bytes / 4, "element"));
}

constexpr const char* kStopAtTheEnd = "stop at the number of elements that the array has";
constexpr const char* kTooFar =
    "a loop in host code ends too late, a copy on the host is too long, or the array is too small: sizes of "
    "memory are in bytes, those of `new` and std::vector in elements";

void describe_missed_block(Diagnostic& problem, const HostAccess& missed) {
  const bool is_before = missed.byte < 0;
  problem.what =
      fmt::format("the program crashed: host code {} {} of {}", missed.is_write ? "writes" : "reads",
                  is_before ? "before the start" : "past the end", missed.rest);
  problem.first = is_before ? fmt::format("{} bytes before its start", -missed.byte)
                            : fmt::format(
                                  "byte {} of memory that has {} bytes: element {} of {}, if they are "
                                  "of type float or int",
                                  missed.byte, missed.size_bytes, missed.byte / 4, missed.size_bytes / 4);
  problem.likely_cause = is_before ? "an index in host code is negative" : kTooFar;
  problem.next_step = kStopAtTheEnd;
}

void describe_missed_array(Diagnostic& problem, const HostAccess& missed) {
  const bool is_before = missed.byte < 0;
  problem.what =
      fmt::format("the program crashed: host code {} {} of `{}`", missed.is_write ? "writes" : "reads",
                  is_before ? "before the start" : "past the end", missed.rest);
  problem.first = missed_index(missed);
  problem.likely_cause =
      is_before
          ? "an index in host code is negative"
          : "a loop in host code ends too late, or a copy on the host is longer than what is left of the "
            "array: the last piece of an array is often shorter than the others";
  problem.next_step = kStopAtTheEnd;
}

/// The number of the line after `what` in "cudaFreeHost freed at k.cu:9, allocated at k.cu:4", if it is a
/// line of the student's file.
std::optional<std::uint32_t> line_after(std::string_view text, std::string_view what,
                                        const SourceText& source) {
  const std::string place = fmt::format("{} at {}:", what, source.name);
  const std::size_t at = text.find(place);
  std::uint32_t line = 0;
  if (at == std::string_view::npos) return std::nullopt;
  std::from_chars(text.data() + at + place.size(), text.data() + text.size(), line);
  return line == 0 ? std::nullopt : std::optional(line);
}

void describe_freed_memory(Diagnostic& problem, const HostAccess& access, const SourceText& source) {
  const std::string call(access.rest.starts_with("cudaFreeHost ") ? "cudaFreeHost" : "cudaFree");
  const auto allocated = line_after(access.rest, "allocated", source);
  const auto freed = line_after(access.rest, "freed", source);
  const auto name = allocated ? pointer_allocated_in(source, *allocated) : std::nullopt;
  problem.what = fmt::format("the program crashed: host code {} memory that was freed{}",
                             access.is_write ? "writes" : "reads", name ? ": `" + *name + "`" : "");
  problem.first = fmt::format("byte {} of {}", access.byte, access.size_bytes);
  if (allocated) problem.first += fmt::format("; allocated in line {}", *allocated);
  if (freed) problem.first += fmt::format("; freed by {} in line {}", call, *freed);
  problem.likely_cause =
      call + " is called before the last use of the memory, or a copy of the pointer is used after it";
  problem.next_step = fmt::format("call {} after the last line of host code that uses the memory", call);
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
    return "a copy, or host code, writes past the end of a host array: compare the size of each copy to "
           "the host, in bytes, with the size of its array; freeing a wrong pointer has the same effect";
  switch (signal) {
    case SIGFPE:
      return "host code divides an integer by zero, often to compute a grid or block size";
    case SIGABRT:
      return "an uncaught exception, a failed assertion, or an invalid free of host memory";
    case SIGSYS:
      return "host code makes a system call that the sandbox forbids";
    default:
      return "host code dereferences a null or wrong pointer, uses memory from new or malloc that has no "
             "value yet, or frees memory with a function that does not "
             "match its allocation; a device pointer cannot be used on the host";
  }
}

}  // namespace

Diagnostic diagnose_crash(const CaseRun& run, const harness::Job& job, const SourceText& source) {
  const CrashNote note =
      run.session.host_crash ? crash_note(*run.session.host_crash) : crash_note(run.printed);
  Diagnostic problem = host_problem(
      "WG-H01", fmt::format("the program crashed ({})", signal_name(run.code)),
      cause_of_crash(run.code, note.on_device_memory, run.printed),
      note.on_device_memory ? "copy the data to the host with cudaMemcpy first, or do the work in the kernel"
                            : "print a message to stderr before each step of the host code; `warpgrade check "
                              "LAB --case NAME` shows the output");
  const auto missed = missed_array(run.printed);
  if (missed && run.code == SIGSEGV && !note.on_device_memory && has_array(job, missed->rest))
    describe_missed_array(problem, *missed);
  const auto block = missed_block(run.printed);
  if (block && run.code == SIGSEGV && !note.on_device_memory) describe_missed_block(problem, *block);
  const auto freed = freed_memory(run.printed);
  if (freed && run.code == SIGSEGV && !note.on_device_memory) describe_freed_memory(problem, *freed, source);
  const auto stack = full_stack(run.printed);
  if (stack && run.code == SIGSEGV && !note.on_device_memory) describe_full_stack(problem, *stack);
  if (note.file == source.name) locate(problem, note.file, note.line, source);
  if (block && block->rest != kFromHeap && releases_host_memory(problem.source_line)) {
    problem.what = fmt::format("the program crashed: free() or delete gets {}", block->rest);
    problem.first.clear();
    problem.likely_cause = "the function that frees the memory does not match its allocation";
    problem.next_step =
        "free memory of cudaMallocHost and cudaHostAlloc with cudaFreeHost, and managed memory with cudaFree";
  }
  if (launches_with_arguments(problem.source_line)) {
    problem.likely_cause =
        "an element of the array of arguments is not the address of an argument: a pointer to device memory "
        "is read there as if it were one";
    problem.next_step = "store the address of each argument in the array: &d_a, not d_a";
  }
  if (note.on_device_memory && releases_host_memory(problem.source_line)) {
    problem.likely_cause = "free() or delete gets a pointer to device memory, which it did not allocate";
    problem.next_step = "release what cudaMalloc has allocated with cudaFree";
  }
  return problem;
}

}  // namespace grader
