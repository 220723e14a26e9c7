#include "judge/global_races.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "judge/source_hints.hpp"
#include "judge/wording.hpp"

namespace grader {

using vgpu::Fault;

bool is_atomic_access(std::string_view instruction) {
  return instruction.starts_with("atom.") || instruction.starts_with("red.");
}

bool are_both_stores(const Fault& race) { return race.is_store && race.other->is_store; }

bool is_one_line(const Fault& race) {
  return race.source == race.other->source && race.file == race.other->file;
}

bool writes_next_to_atomics(const std::string& instruction, const std::string& other) {
  return instruction.starts_with("st.") && is_atomic_access(other);
}

namespace {

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

/// One line reads and stores the element: ++*count, or sum[0] += value.
bool is_change(const Fault& finding) {
  return is_one_line(finding) && finding.is_store != finding.other->is_store;
}

/// The memory is one element, such as a count.
bool is_whole_object(const Fault& finding) {
  return finding.nearest && finding.nearest->size_bytes == finding.access_bytes;
}

/// For two stores, or one line that both threads run: the order of the lines is not the cause.
void advise_on_same_element(const Fault& finding, const SourceText& source, Diagnostic& diagnostic) {
  if (finding.block == finding.other->block && is_whole_object(finding) && is_change(finding)) {
    diagnostic.likely_cause =
        "there is one such variable for all threads: each reads it, computes and stores, and what another "
        "thread stores in between is lost";
    diagnostic.next_step = "change it with one atomic operation, such as atomicAdd(&variable, value)";
    return;
  }
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
  if (is_whole_object(finding)) {
    diagnostic.likely_cause =
        "there is one such variable for all blocks: each block reads it, and stores another value later, so "
        "that what other blocks have stored in between is lost";
    diagnostic.next_step =
        "change it with one atomic operation, such as atomicAdd(&variable, value), or give each block an "
        "element of its own";
    return;
  }
  diagnostic.likely_cause =
      "blocks compute the same indices: blockIdx is missing, or is multiplied by fewer elements or rows than "
      "a block stores; a row's length is wrong; or a guard compares only the whole index with the array's "
      "size, so that threads after the end of a row store in the next row; or all blocks add to one result";
  diagnostic.next_step =
      "compute the index as blockIdx.x * blockDim.x + threadIdx.x, rows likewise with .y; compare the column "
      "with the number of columns, and the row with the number of rows; if several blocks add to one result, "
      "use atomicAdd";
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

}  // namespace

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

}  // namespace grader
