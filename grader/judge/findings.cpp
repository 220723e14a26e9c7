#include "judge/findings.hpp"

#include <fmt/format.h>

#include "judge/arrays.hpp"
#include "judge/code_text.hpp"
#include "judge/declarations.hpp"
#include "judge/global_races.hpp"
#include "judge/idle_barrier.hpp"
#include "judge/memory_names.hpp"
#include "judge/source_hints.hpp"
#include "judge/unknown_lines.hpp"
#include "judge/unwritten_reads.hpp"
#include "judge/wording.hpp"
#include "vgpu/facts/address_text.hpp"

namespace grader {
namespace {

using vgpu::Fault;
using vgpu::FaultKind;
using vgpu::cudart::MemoryNames;
using vgpu::ptx::Space;

/// "`tile[3]`"; "`tile[3][5]`" if the file shows how long a row is; "`count`" for a single variable.
std::string shared_element(std::string_view array, std::uint64_t index, const SourceText& source) {
  const auto length = row_length(source, array);
  const auto extents = extents_of(source, array);
  if (extents == 0 && index == 0) return fmt::format("`{}`", array);
  if (!length && extents && *extents > 1) return fmt::format("element {} of `{}`, row by row", index, array);
  return length ? fmt::format("`{}[{}][{}]`", array, index / *length, index % *length)
                : fmt::format("`{}[{}]`", array, index);
}

/// "`tile[3]`", "`M[7]`", "element 5 of allocation 2 (64 bytes)"
std::string element(const Fault& finding, const harness::Job& job, const SourceText& source,
                    const MemoryNames& memory) {
  const std::uint64_t size = std::max<std::uint64_t>(finding.access_bytes, 1);
  if (finding.space == Space::shared) {
    if (finding.variable.empty()) return fmt::format("shared memory at byte {}", finding.address);
    return shared_element(kernel_name(finding.variable), finding.variable_offset / size, source);
  }
  if (!finding.nearest) return "device memory at " + vgpu::address_text(finding.address);
  const std::uint64_t index = (finding.address - finding.nearest->start) / size;
  if (const auto array = named_array(finding, job)) return fmt::format("`{}[{}]`", array->name, index);
  return fmt::format("element {} of {}", index, memory_name(finding, memory));
}

/// "at k.cu:16"
template <class Access>
std::string line_text(const Access& access) {
  const std::string_view file = access.file;
  return fmt::format("at {}:{}", cleaned(file.substr(file.rfind('/') + 1)), access.source.line);
}

/// For a Fault or an OtherAccess: "write by block (0, 0, 0), thread (128, 0, 0) at k.cu:16"
template <class Access>
std::string access_text(const Access& access) {
  const char* name = is_atomic_access(access.instruction) ? "atomic operation"
                     : access.is_store                    ? "write"
                                                          : "read";
  std::string text = fmt::format("{} by {}", name, thread_place(access.block, access.thread));
  if (access.source.line != 0) text += " " + line_text(access);
  return text;
}

/// "`tile[128]`: write by block (0, 0, 0), thread (128, 0, 0) at k.cu:16, read by … at k.cu:17"
std::string pair_text(const Fault& finding, const harness::Job& job, const SourceText& source,
                      const MemoryNames& memory) {
  return fmt::format("{}: {}, {}", element(finding, job, source, memory), access_text(finding),
                     access_text(*finding.other));
}

/// The code of the finding's line; empty: it is in another file.
std::string_view code_at(const Fault& finding, const SourceText& source) {
  const std::uint32_t line = finding.source.line;
  const bool is_there = finding.file.substr(finding.file.rfind('/') + 1) == source.name && line != 0;
  return is_there && line <= source.lines.size() ? code_of(source.lines[line - 1]) : std::string_view();
}

/// As changes_element(), in the line of both accesses.
bool changes_one_element(const Fault& race, const SourceText& source) {
  return changes_element(code_at(race, source), kernel_name(race.variable));
}

void describe_shared_race(const Fault& finding, const SourceText& source, Diagnostic& diagnostic) {
  diagnostic.code = "WG-R01";
  diagnostic.what =
      fmt::format("threads of `{}` use the same element of shared memory with no barrier in between",
                  kernel_name(finding.kernel));
  if (const auto idle = idle_barrier(finding, source)) {
    diagnostic.likely_cause = idle->likely_cause;
    diagnostic.next_step = idle->next_step;
    return;
  }
  if (are_both_stores(finding) && !is_one_line(finding)) {
    diagnostic.likely_cause =
        "__syncthreads() is missing between the two lines, for example between the initial value and the "
        "first use; or two threads compute the same index, or two arrays in dynamic shared memory overlap";
    diagnostic.next_step =
        "put __syncthreads() between the two lines, and at the end of a loop body that contains both; if the "
        "lines belong to different arrays, compare the arrays' offsets with their sizes";
    return;
  }
  if (are_both_stores(finding)) {
    const auto length = row_length(source, kernel_name(finding.variable));
    diagnostic.likely_cause =
        std::string("two threads compute the same index, or two arrays in dynamic shared memory overlap") +
        (length && finding.thread.y != finding.other->thread.y
             ? fmt::format("; or an index leaves its row: a row of `{}` has {} elements, and an index of {} "
                           "is the first element of the next row",
                           kernel_name(finding.variable), *length, *length)
             : "");
    diagnostic.next_step =
        "give each thread an element of its own; if several threads add to one element, use atomicAdd; if "
        "the second store belongs to a later step, put __syncthreads() between the two stores";
    return;
  }
  if (is_one_line(finding) && changes_one_element(finding, source)) {
    diagnostic.likely_cause =
        "several threads change one element: each reads it, computes and stores, and a value that another "
        "thread stores in between is lost";
    diagnostic.next_step =
        "use atomicAdd (or another atomic operation), or give each thread an element of its own";
    return;
  }
  const auto barrier =
      is_one_line(finding) ? barrier_in_loop(source, finding.file, finding.source.line) : std::nullopt;
  if (barrier) {
    diagnostic.likely_cause = fmt::format(
        "in one step of the loop, a thread reads an element that another thread changes in this line, too; "
        "the "
        "barrier in line {} separates only the steps: the partner's index, or the condition of the step, is "
        "wrong",
        *barrier);
    diagnostic.next_step =
        "let a thread read only elements that no thread changes in the same step, such as t + stride where "
        "the "
        "threads t < stride add";
    return;
  }
  diagnostic.likely_cause = "__syncthreads() is missing between writing shared memory and using it again";
  if (const auto line = finding.other ? warp_barrier_between(source, finding.file, finding.source.line,
                                                             finding.other->source.line)
                                      : std::nullopt)
    diagnostic.likely_cause += fmt::format(
        ": the __syncwarp() in line {} orders the threads of one warp, and these two are of different warps",
        *line);
  diagnostic.next_step =
      "put __syncthreads() between the two lines, and at the end of a loop body if the next "
      "iteration writes again";
}

void describe_warp_race(const Fault& finding, const SourceText& source, Diagnostic& diagnostic) {
  diagnostic.code = "WG-R02";
  diagnostic.what = fmt::format(
      "threads of one warp of `{}` exchange data through shared memory, and no __syncwarp() in between "
      "includes both",
      kernel_name(finding.kernel));
  if (const auto line = sync_of_part(source, finding.file, finding.source.line)) {
    diagnostic.likely_cause = fmt::format(
        "the barrier in line {} does not have both threads in its mask or group: it orders the accesses of "
        "its own threads only",
        *line);
    diagnostic.next_step =
        "let both threads take part in one barrier between the two lines: __syncwarp() without a mask, or "
        "sync() of a tiled_partition<32>";
    return;
  }
  diagnostic.likely_cause =
      "the code assumes that the threads of a warp run in lockstep, which CUDA does not guarantee";
  diagnostic.next_step =
      "put __syncwarp() between the two lines, or __syncthreads() if other warps take part; volatile is not "
      "enough";
}

/// The line limits an index with min or max.
bool limits_an_index(const Fault& finding, const SourceText& source) {
  const std::string_view code = code_at(finding, source), stored = code.substr(0, code.find(" = "));
  return contains_word(stored, "min") || contains_word(stored, "max") || contains_word(stored, "clamp");
}

void describe_lane_conflict(const Fault& finding, const SourceText& source, Diagnostic& diagnostic) {
  diagnostic.code = "WG-R03";
  diagnostic.what = fmt::format("threads of `{}` write different values to the same address at the same time",
                                kernel_name(finding.kernel));
  diagnostic.likely_cause =
      "several threads compute the same index: threadIdx is missing from it, or divided by something";
  diagnostic.next_step =
      "let one thread write, give each thread an element of its own, or use an atomic operation";
  if (!limits_an_index(finding, source)) return;
  diagnostic.likely_cause =
      "threads without an element store, too: the index is limited to the last row or column (min, max), so "
      "that they all store to that one";
  diagnostic.next_step = "store under a condition: if (row < rows && col < columns)";
}

void describe_stale_read(const Fault& finding, Diagnostic& diagnostic) {
  diagnostic.code = "WG-R09";
  diagnostic.what = fmt::format(
      "`{}` reads an element through the cache for read-only data after the same launch has written it",
      kernel_name(finding.kernel));
  diagnostic.likely_cause =
      "the line uses __ldg(), or a pointer declared const __restrict__ to memory that the kernel also writes";
  diagnostic.next_step =
      "read the element through an ordinary pointer, without __ldg and __restrict__, or split the kernel "
      "into two launches";
}

void describe_overflow(const Fault& finding, Diagnostic& diagnostic) {
  diagnostic.code = "WG-M16";
  diagnostic.what = fmt::format("`{}` {} outside the shared array `{}`, in other shared memory",
                                kernel_name(finding.kernel), finding.is_store ? "writes" : "reads",
                                kernel_name(finding.variable));
  diagnostic.likely_cause = "an index is larger than the array's extent, or negative";
  diagnostic.next_step = "compare the index with the array's declaration";
}

/// "byte 128 of `a`, which has 128 bytes; the access is in `b`"
std::string overflow_text(const Fault& finding) {
  const auto offset = static_cast<std::int64_t>(finding.address - finding.nearest->start);
  const std::string where = finding.detail.empty() || finding.detail == finding.variable
                                ? ""
                                : fmt::format("; the access is in `{}`", kernel_name(finding.detail));
  return fmt::format("byte {} of `{}`, which has {} bytes{}", offset, kernel_name(finding.variable),
                     finding.nearest->size_bytes, where);
}

void describe_absent_lane(const Fault& finding, Diagnostic& diagnostic) {
  diagnostic.code = "WG-B05";
  diagnostic.what =
      fmt::format("`{}` uses the value that a shuffle returns for a thread that does not take part",
                  kernel_name(finding.kernel));
  diagnostic.likely_cause =
      "a thread of the warp has ended, does not exist because the block's size is not a multiple of 32, is "
      "not in the mask, or does not enter the condition around the shuffle";
  diagnostic.next_step =
      "let all threads of the warp reach the shuffle, with 0 for elements that do not exist, or use the "
      "result "
      "only if the source thread takes part";
}

void describe_parted_barriers(const Fault& finding, Diagnostic& diagnostic) {
  diagnostic.code = "WG-B06";
  diagnostic.what = fmt::format("threads of a block of `{}` wait for each other at different __syncthreads()",
                                kernel_name(finding.kernel));
  diagnostic.likely_cause =
      "the barriers are in branches, and the condition is not the same for all threads of the block";
  diagnostic.next_step =
      "put one __syncthreads() after the branches, where all threads of the block reach it, or __syncwarp() "
      "into them if only the threads of a warp exchange data";
}

/// "block (0, 0, 0), thread (0, 0, 0) at k.cu:16; block (0, 0, 0), thread (0, 8, 0) at k.cu:19"
std::string parted_threads(const Fault& finding) {
  return fmt::format("{} {}; {} {}", thread_place(finding.block, finding.thread), line_text(finding),
                     thread_place(finding.other->block, finding.other->thread), line_text(*finding.other));
}

void describe_unset_variable(const Fault& finding, Diagnostic& diagnostic) {
  diagnostic.code = "WG-M17";
  diagnostic.what =
      fmt::format("`{}` uses a local variable that has no value yet", kernel_name(finding.kernel));
  diagnostic.likely_cause =
      "a variable is declared without an initial value, and this line, or one that continues its work, adds "
      "to it or compares it before any line assigns to it";
  diagnostic.next_step =
      "give the variable a value where it is declared: int sum = 0; for an array: int counts[8] = {};";
}

void describe_unfinished_copy(const Fault& finding, Diagnostic& diagnostic) {
  diagnostic.code = "WG-R06";
  diagnostic.what = fmt::format("`{}` {} shared memory while an asynchronous copy to it is under way",
                                kernel_name(finding.kernel), finding.is_store ? "writes" : "reads");
  diagnostic.likely_cause = "no thread waits for the copy, or the wait does not cover this group of copies";
  diagnostic.next_step =
      "wait in the thread that copies (cp.async.wait_group, __pipeline_wait_prior, consumer_wait), then "
      "__syncthreads() if other threads use the data";
}

/// What a finding without a second access is about.
std::string location_text(const Fault& finding, const harness::Job& job, const SourceText& source,
                          const MemoryNames& memory) {
  if (finding.kind == FaultKind::array_overflow) return overflow_text(finding);
  if (finding.kind == FaultKind::absent_lane) return fmt::format("the value of lane {}", finding.detail);
  if (finding.kind == FaultKind::unset_variable) return "the variable's first use";
  if (finding.kind == FaultKind::uninitialised_read && !finding.detail.empty())
    return fmt::format("byte {} of {}", finding.detail, element(finding, job, source, memory));
  return element(finding, job, source, memory);
}

/// Not a mistake in the kernel: a limit of the checks.
Diagnostic not_recorded(const Fault& finding) {
  Diagnostic diagnostic;
  diagnostic.code = "WG-R07";
  diagnostic.severity = Severity::warning;
  diagnostic.what = fmt::format(
      "`{}` accesses more device memory than the search for races can record, so races between blocks in the "
      "rest of the memory are not reported",
      kernel_name(finding.kernel));
  diagnostic.next_step = "also run the program on a smaller input, which is checked completely";
  return diagnostic;
}

/// Threads that all store the same value and read it back: every order gives the same result.
void describe_harmless_race(const Fault& finding, Diagnostic& diagnostic) {
  diagnostic.severity = Severity::note;
  diagnostic.what += ", but they all store the same value";
  diagnostic.likely_cause = "each of these threads stores the value itself before it reads it";
  diagnostic.next_step =
      finding.space == Space::shared
          ? "keep the value in a local variable, or let one thread store it and call "
            "__syncthreads() before the others read it"
          : "keep the value in a local variable, or let one thread store it for a later launch";
}

}  // namespace

bool is_decisive(const Fault& finding, const harness::Job& job) {
  if (finding.is_harmless) return false;
  if (finding.kind == FaultKind::uninitialised_read) return read_output(finding, job).has_value();
  // Values that mean nothing make results wrong, if results depend on them.
  const bool is_value = finding.kind == FaultKind::absent_lane || finding.kind == FaultKind::unset_variable;
  return !is_value && finding.kind != FaultKind::races_not_recorded;
}

Diagnostic diagnose_finding(const Fault& finding, const harness::Job& job, const SourceText& source,
                            const MemoryNames& memory) {
  if (finding.kind == FaultKind::races_not_recorded) return not_recorded(finding);
  Diagnostic diagnostic;
  diagnostic.count = finding.count;
  switch (finding.kind) {
    case FaultKind::unfinished_copy:
      describe_unfinished_copy(finding, diagnostic);
      break;
    case FaultKind::stale_read:
      describe_stale_read(finding, diagnostic);
      break;
    case FaultKind::warp_race:
      describe_warp_race(finding, source, diagnostic);
      break;
    case FaultKind::lane_conflict:
      describe_lane_conflict(finding, source, diagnostic);
      break;
    case FaultKind::global_race:
      describe_global_race(finding, source, diagnostic);
      break;
    case FaultKind::array_overflow:
      describe_overflow(finding, diagnostic);
      break;
    case FaultKind::absent_lane:
      describe_absent_lane(finding, diagnostic);
      break;
    case FaultKind::parted_barriers:
      describe_parted_barriers(finding, diagnostic);
      break;
    case FaultKind::unset_variable:
      describe_unset_variable(finding, diagnostic);
      break;
    case FaultKind::uninitialised_read:
      describe_unwritten(finding, job, source, diagnostic);
      break;
    default:
      describe_shared_race(finding, source, diagnostic);
      break;
  }
  if (finding.other && finding.is_harmless) describe_harmless_race(finding, diagnostic);
  if (finding.kind == FaultKind::parted_barriers)
    diagnostic.first = parted_threads(finding);
  else
    diagnostic.first = finding.other ? pair_text(finding, job, source, memory)
                                     : location_text(finding, job, source, memory) + "; " +
                                           thread_place(finding.block, finding.thread);
  // An array of the lab has a name, which its place of allocation in the harness would not explain.
  if (finding.kind == FaultKind::uninitialised_read && finding.nearest && !named_array(finding, job))
    diagnostic.first += memory_history(finding, memory);
  if (finding.other && writes_next_to_atomics(finding.other->instruction, finding.instruction))
    locate(diagnostic, finding.other->file, finding.other->source.line, source);
  else
    locate_access(diagnostic, finding, job.entry, source);
  return diagnostic;
}

}  // namespace grader
