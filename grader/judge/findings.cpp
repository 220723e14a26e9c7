#include "judge/findings.hpp"

#include <fmt/format.h>

#include "judge/arrays.hpp"
#include "judge/code_text.hpp"
#include "judge/declarations.hpp"
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

/// Atomic operations do not race with one another, so the message must show which access is not atomic.
bool is_atomic(std::string_view instruction) {
  return instruction.starts_with("atom.") || instruction.starts_with("red.");
}

/// For a Fault or an OtherAccess: "write by block (0, 0, 0), thread (128, 0, 0) at k.cu:16"
template <class Access>
std::string access_text(const Access& access) {
  const char* name = is_atomic(access.instruction) ? "atomic operation" : access.is_store ? "write" : "read";
  std::string text = fmt::format("{} by {}", name, thread_place(access.block, access.thread));
  const std::string_view file = access.file;
  if (access.source.line != 0)
    text += fmt::format(" at {}:{}", cleaned(file.substr(file.rfind('/') + 1)), access.source.line);
  return text;
}

/// "`tile[128]`: write by block (0, 0, 0), thread (128, 0, 0) at k.cu:16, read by … at k.cu:17"
std::string pair_text(const Fault& finding, const harness::Job& job, const SourceText& source,
                      const MemoryNames& memory) {
  return fmt::format("{}: {}, {}", element(finding, job, source, memory), access_text(finding),
                     access_text(*finding.other));
}

bool are_both_stores(const Fault& race) { return race.is_store && race.other->is_store; }

bool is_one_line(const Fault& race) {
  return race.source == race.other->source && race.file == race.other->file;
}

/// As changes_element(), in the line of both accesses.
bool changes_one_element(const Fault& race, const SourceText& source) {
  const std::uint32_t line = race.source.line;
  const bool is_there = race.file.substr(race.file.rfind('/') + 1) == source.name && line != 0;
  return is_there && line <= source.lines.size() &&
         changes_element(code_of(source.lines[line - 1]), kernel_name(race.variable));
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
    diagnostic.likely_cause =
        "two threads compute the same index, or two arrays in dynamic shared memory overlap";
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

void describe_lane_conflict(const Fault& finding, Diagnostic& diagnostic) {
  diagnostic.code = "WG-R03";
  diagnostic.what = fmt::format("threads of `{}` write different values to the same address at the same time",
                                kernel_name(finding.kernel));
  diagnostic.likely_cause =
      "several threads compute the same index: threadIdx is missing from it, or divided by something";
  diagnostic.next_step =
      "let one thread write, give each thread an element of its own, or use an atomic operation";
}

/// The same threads of two blocks whose distance, in threads, is 2^16. Blocks have at most 1024 threads.
bool is_16_bits_apart(const Fault& finding) {
  constexpr std::uint32_t kValues = 65536, kLeastBlocks = kValues / 1024;
  const std::uint32_t one = finding.block.x, other = finding.other->block.x;
  const std::uint32_t blocks = std::max(one, other) - std::min(one, other);
  return finding.thread == finding.other->thread && blocks >= kLeastBlocks && kValues % blocks == 0;
}

/// An element below 2^16 of a longer array, and the function has integers of 16 bits.
bool looks_cut_to_16_bits(const Fault& finding, const SourceText& source) {
  constexpr std::uint64_t kValues = 65536;
  if (!finding.nearest || finding.access_bytes == 0) return false;
  const std::uint64_t element = (finding.address - finding.nearest->start) / finding.access_bytes;
  const bool is_long = finding.nearest->size_bytes / finding.access_bytes > kValues;
  return is_long && element < kValues && integer_of_16_bits(source, finding.file, finding.source.line);
}

/// For two stores, or one line that both threads run: the order of the lines is not the cause.
void advise_on_same_element(const Fault& finding, const SourceText& source, Diagnostic& diagnostic) {
  if (finding.block == finding.other->block && finding.thread.y != finding.other->thread.y) {
    diagnostic.likely_cause =
        "threads in two rows of a block compute the same index: threadIdx.y is missing, a row's length is "
        "wrong, or a guard compares only the whole index with the array's size, so that threads after the "
        "end of a row store in the next row; or all threads add to one result";
    diagnostic.next_step =
        "compare the column with the number of columns, and the row with the number of rows, and compute the "
        "index as row * columns + column; if several threads add to one element, use atomicAdd";
    return;
  }
  if (finding.block == finding.other->block) {
    diagnostic.likely_cause =
        "several threads use one index: threadIdx is missing from it, or the elements that a thread stores "
        "overlap those of its neighbours; or all threads add to one result";
    diagnostic.next_step =
        "let each thread write an element of its own, for example with the index blockIdx.x * blockDim.x + "
        "threadIdx.x; if several threads add to one element, use atomicAdd; between two iterations of a "
        "loop, put __syncthreads()";
    return;
  }
  if (is_16_bits_apart(finding) || looks_cut_to_16_bits(finding, source)) {
    diagnostic.likely_cause =
        "the index is in a variable of 16 bits (short, unsigned short), which has no value above 65,535: "
        "indices that differ by 65,536 become the same element";
    diagnostic.next_step = "compute and keep the index in an int";
    return;
  }
  diagnostic.likely_cause =
      "blocks compute the same indices: blockIdx is missing, a row's length is wrong, or a guard compares "
      "only the whole index with the array's size, so that threads after the end of a row store in the next "
      "row; or all blocks add to one result";
  diagnostic.next_step =
      "compute the index as blockIdx.x * blockDim.x + threadIdx.x, rows likewise with .y; compare the column "
      "with the number of columns, and the row with the number of rows; if several blocks add to one result, "
      "use atomicAdd";
}

/// An element that other threads change by atomic operations is also written without: that line is the
/// mistake.
bool writes_next_to_atomics(const std::string& instruction, const std::string& other) {
  return instruction.starts_with("st.") && is_atomic(other);
}

/// Two blocks use an atomic operation of block scope. False if they do not.
bool describe_small_operation(const Fault& finding, Diagnostic& diagnostic) {
  const auto is_of_block = [](const std::string& instruction) {
    return instruction.find(".cta") != std::string::npos;
  };
  if (!is_of_block(finding.instruction) && !is_of_block(finding.other->instruction)) return false;
  diagnostic.code = "WG-R10";
  diagnostic.what = fmt::format("threads of two blocks of `{}` use an atomic operation of block scope",
                                kernel_name(finding.kernel));
  diagnostic.likely_cause =
      "an atomic operation of block scope (atomicAdd_block, thread_scope_block) is atomic only among the "
      "threads of its own block";
  diagnostic.next_step = "use device scope: atomicAdd, thread_scope_device";
  return true;
}

/// Two blocks exchange data after a fence or an atomic operation of block scope. False if the source shows
/// none.
bool describe_small_order(const Fault& finding, const SourceText& source, Diagnostic& diagnostic) {
  // Without a lock, no fence is meant to order what the threads do in one line.
  const bool same_line = are_both_stores(finding) || is_one_line(finding);
  if (same_line && !first_use(source, "atomicCAS")) return false;
  const auto describe = [&](const char* what, const std::string& cause, const char* next_step) {
    diagnostic.code = "WG-R10";
    diagnostic.what = fmt::format("threads of two blocks of `{}` exchange data after {} of block scope",
                                  kernel_name(finding.kernel), what);
    diagnostic.likely_cause = cause + " orders accesses for threads of its own block only";
    diagnostic.next_step = next_step;
    return true;
  };
  if (const auto fence = first_use(source, "__threadfence_block"))
    return describe("a fence", fmt::format("__threadfence_block() in line {}", *fence),
                    "use __threadfence(), which orders them for all blocks");
  if (const auto line = first_atomic_of_block(source))
    return describe("an atomic operation",
                    fmt::format("the atomic operation with thread_scope_block in line {}", *line),
                    "use cuda::thread_scope_device, which orders them for all blocks");
  return false;
}

void blame_order(std::string_view atomic, std::uint32_t line, const char* reason, Diagnostic& diagnostic) {
  diagnostic.likely_cause = fmt::format(
      "one block relies on data that another block writes during the same launch; {} in line {} does not "
      "order them, because {}",
      atomic, line, reason);
  diagnostic.next_step =
      "call __threadfence() before the atomic operation that announces the data or frees the lock, and after "
      "the one that finds it announced or takes the lock; or split the kernel into two launches";
}

constexpr const char* kNoFence = "no __threadfence() precedes it";

/// Blocks agree on an order by a lock or a counter that does not order their other accesses. False if the
/// source shows none. In two stores, an order is meant only under a lock.
bool describe_weak_order(const Fault& finding, const SourceText& source, Diagnostic& diagnostic) {
  const auto order = block_order(source, finding.file, finding.source.line);
  if (!order || (are_both_stores(finding) && !order->is_lock)) return false;
  // A fence that precedes the announcement of a result is sufficient on that side.
  if (!order->is_member && order->has_fence && !order->is_lock) return false;
  blame_order(order->atomic, order->line,
              order->is_member   ? "memory_order_relaxed orders no other accesses"
              : order->has_fence ? "a __threadfence() is on one side of it only"
                                 : kNoFence,
              diagnostic);
  if (order->is_member)
    diagnostic.next_step =
        "use cuda::memory_order_acq_rel, or release for the operation after the writes and acquire for the "
        "one before the reads; or split the kernel into two launches";
  return true;
}

void blame_fence(const std::string& reason, Diagnostic& diagnostic) {
  diagnostic.likely_cause =
      "one block relies on data that another block writes during the same launch; " + reason;
  diagnostic.next_step =
      "let each block write, then call __threadfence(), then announce the data, all in one thread or with "
      "__syncthreads() in between; let the other block see the announcement, then call __threadfence() or "
      "__syncthreads(), and read only then; or split the kernel into two launches";
}

/// One block reads what another stored, and the kernel announces results, by an atomic operation or a
/// volatile flag, without a fence or with one at the wrong place. False if it does not look like that.
bool describe_announcement(const Fault& finding, const SourceText& source, Diagnostic& diagnostic) {
  const std::string kernel = kernel_name(finding.kernel);
  const auto fence = use_in(source, kernel, "__threadfence");
  const bool has_no_fence = !fence && !first_use(source, "__threadfence");
  for (const char* announcement :
       {"atomicInc", "atomicAdd", "atomicExch", "atomicCAS", "atomicSub", "atomicDec"}) {
    auto line = use_in(source, kernel, announcement);
    if (!line && has_no_fence) line = first_use(source, announcement);  // in a function that the kernel calls
    if (!line || (!fence && !has_no_fence)) continue;
    if (fence)
      blame_fence(
          fmt::format("the __threadfence() in line {} is not between the write and {} in line {}, or it "
                      "is called by another thread than the one that wrote",
                      *fence, announcement, *line),
          diagnostic);
    else
      blame_order(announcement, *line, kNoFence, diagnostic);
    return true;
  }
  const auto flag = use_in(source, kernel, "volatile");
  if (!flag) return false;
  blame_fence(
      fmt::format("volatile (line {}) orders nothing, and {}", *flag,
                  fence
                      ? fmt::format("the __threadfence() in line {} is on one side of the flag only", *fence)
                      : std::string("there is no __threadfence()")),
      diagnostic);
  return true;
}

void describe_global_race(const Fault& finding, const SourceText& source, Diagnostic& diagnostic) {
  const bool same_block = finding.block == finding.other->block;
  diagnostic.code = same_block ? "WG-R05" : "WG-R04";
  diagnostic.what =
      fmt::format("threads of {} of `{}` use the same element of global memory in no defined order",
                  same_block ? "one block" : "two blocks", kernel_name(finding.kernel));
  if (!same_block && describe_small_operation(finding, diagnostic)) return;
  if (writes_next_to_atomics(finding.instruction, finding.other->instruction) ||
      writes_next_to_atomics(finding.other->instruction, finding.instruction)) {
    diagnostic.likely_cause =
        "one line writes the element while other threads change it with atomic operations, before or after "
        "them";
    diagnostic.next_step =
        "clear the element before the launch (cudaMemset), or let every write of this launch be atomic";
    return;
  }
  if (!same_block && describe_small_order(finding, source, diagnostic)) return;
  if (!same_block && describe_weak_order(finding, source, diagnostic)) return;
  if (are_both_stores(finding) || is_one_line(finding)) {
    advise_on_same_element(finding, source, diagnostic);
    return;
  }
  if (!same_block && describe_announcement(finding, source, diagnostic)) return;
  diagnostic.likely_cause =
      same_block ? "the result is stored over the array that the kernel still reads, or __syncthreads() is "
                   "missing between the two accesses"
                 : "the result is stored over the array that the kernel still reads, or one block relies on "
                   "data that another block writes during the same launch";
  diagnostic.next_step =
      same_block ? "store the result in another array; if threads exchange data in this array, put "
                   "__syncthreads() between the two lines"
                 : "store the result in another array, let each block write elements of its own, "
                   "use an atomic operation, or split the kernel into two launches";
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
      describe_lane_conflict(finding, diagnostic);
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
