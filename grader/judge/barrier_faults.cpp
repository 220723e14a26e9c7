#include "judge/barrier_faults.hpp"

#include <fmt/format.h>

#include "judge/wording.hpp"

namespace grader {

using vgpu::Fault;
using vgpu::FaultKind;

namespace {

/// "128 threads at the barrier of tiled_matmul.cu:33, first (0, 8, 0)"
std::string waiting_text(const vgpu::WaitingThreads& group) {
  if (group.source.line == 0)  // code to which the compiler gave no line, as after a loop
    return fmt::format("{} {}, first {}", counted(group.threads, "thread"),
                       group.at_barrier ? "at a barrier" : "elsewhere", dimensions(group.first_thread));
  const std::string_view file = std::string_view(group.file).substr(group.file.rfind('/') + 1);
  return fmt::format("{} {} {}:{}, first {}", counted(group.threads, "thread"),
                     group.at_barrier ? "at the barrier of" : "before", cleaned(file), group.source.line,
                     dimensions(group.first_thread));
}

std::string waiting_summary(const Fault& fault) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t i = 0; i < fault.waiting.size() && i < kShown; ++i)
    text += waiting_text(fault.waiting[i]) + "; ";
  if (fault.waiting.size() > kShown) text += fmt::format("{} more places; ", fault.waiting.size() - kShown);
  return text;
}

/// Threads wait in a loop for a phase of an mbarrier (cuda::barrier) that cannot end.
void describe_endless_wait(const Fault& fault, Diagnostic& diagnostic) {
  diagnostic.code = "WG-B02";
  const std::string name = fault.variable.empty()
                               ? fmt::format("the mbarrier at byte {} of shared memory", fault.address)
                               : fmt::format("the barrier `{}`", kernel_name(fault.variable));
  diagnostic.what = fmt::format("a block of `{}` waits forever at {}: {}", kernel_name(fault.kernel), name,
                                cleaned(fault.detail));
  diagnostic.first = waiting_summary(fault);
  diagnostic.likely_cause =
      "the count in init() differs from the number of threads that arrive in each phase: with a larger "
      "count, no phase ends; with a smaller one, phases end early, and a thread can miss the end of its own";
  diagnostic.next_step =
      "pass the number of threads that arrive to init(), for example blockDim.x, and let each of them arrive "
      "once per phase; a thread that stops arriving calls arrive_and_drop()";
}

/// Instructions that PTX calls aligned have no lane mask: all lanes must execute them.
void describe_part_of_warp(const Fault& fault, Diagnostic& diagnostic) {
  diagnostic.what = fmt::format("only some lanes of a warp reach `{}` in `{}`", cleaned(fault.instruction),
                                kernel_name(fault.kernel));
  diagnostic.likely_cause =
      "it is inside a condition that differs between lanes, or the block's last warp is not full";
  diagnostic.next_step =
      "make conditions around it depend on the warp, not on the lane, and make the block size a multiple of "
      "32 threads";
}

/// The detail is "lane 8 is not in the mask 0x000000ff that it names" (vgpu/flow/warp_groups.cpp).
void describe_foreign_mask(const Fault& fault, Diagnostic& diagnostic) {
  const std::string lane = cleaned(fault.detail.substr(0, fault.detail.find(" is not in the mask ")));
  diagnostic.what = fmt::format("{} of a warp calls `{}` in `{}` with a mask that omits {} itself", lane,
                                cleaned(fault.instruction), kernel_name(fault.kernel), lane);
  diagnostic.likely_cause =
      "the mask is a constant for fewer lanes, or the result of a vote in which this lane passed 0";
  diagnostic.next_step =
      "pass a mask that includes every lane that reaches the call, or let only the lanes of the mask reach "
      "it";
}

}  // namespace

bool is_of_memory_barrier(const Fault& fault) { return fault.instruction.starts_with("mbarrier."); }

/// Threads meet at barriers of several kinds.
void describe_mixed(const Fault& fault, Diagnostic& diagnostic) {
  diagnostic.code = "WG-B02";
  diagnostic.what = fmt::format("threads of a block of `{}` wait at different kinds of barriers",
                                kernel_name(fault.kernel));
  diagnostic.first = waiting_summary(fault);
  diagnostic.likely_cause =
      "the barriers are in different branches; what happens when __syncthreads() meets __syncthreads_or(), "
      "_and() or _count() is not defined";
  diagnostic.next_step = "let all threads of the block call the same barrier, outside of the condition";
}

void describe_barrier(const Fault& fault, const SourceText& source, Diagnostic& diagnostic) {
  if (fault.detail == vgpu::kMixedBarriers) return describe_mixed(fault, diagnostic);
  if (is_of_memory_barrier(fault)) return describe_endless_wait(fault, diagnostic);
  const bool is_divergent = fault.kind == FaultKind::divergent_barrier;
  diagnostic.code = is_divergent ? "WG-B01" : "WG-B02";
  diagnostic.what =
      is_divergent
          ? fmt::format("only some threads of a warp of `{}` reach __syncthreads()",
                        kernel_name(fault.kernel))
          : fmt::format(
                "a block of `{}` waits forever: not all of its threads reach the same __syncthreads()",
                kernel_name(fault.kernel));
  diagnostic.first = waiting_summary(fault);
  const auto early = return_before_barrier(source, fault.file, fault.source.line, kernel_name(fault.kernel));
  diagnostic.likely_cause =
      early
          ? fmt::format("some threads return in line {}, before __syncthreads(), or it is inside a condition",
                        *early)
          : "__syncthreads() is inside a condition, or some threads skip it";
  diagnostic.next_step =
      "move it out of the condition; threads without work of their own must still take part in "
      "loading and in every barrier";
}

void describe_missing_lanes(const Fault& fault, Diagnostic& diagnostic) {
  diagnostic.code = "WG-B03";
  diagnostic.what = fmt::format("the mask of `{}` in `{}` names lanes that do not take part",
                                cleaned(fault.instruction), kernel_name(fault.kernel));
  if (!fault.detail.empty()) diagnostic.first = cleaned(fault.detail) + "; ";
  if (fault.instruction.find(".sync.aligned") != std::string::npos)
    return describe_part_of_warp(fault, diagnostic);
  if (fault.detail.find(" is not in the mask ") != std::string::npos)
    return describe_foreign_mask(fault, diagnostic);
  diagnostic.likely_cause =
      "some lanes that the mask names took another branch, have returned or pass another mask";
  diagnostic.next_step =
      "call it where all lanes of the mask arrive; each of them must pass the same mask, which includes its "
      "own lane";
}

void describe_not_uniform(const Fault& fault, Diagnostic& diagnostic) {
  diagnostic.code = "WG-B04";
  diagnostic.what =
      fmt::format("the lanes of a warp pass different values for a warp-wide operand of `{}` in `{}`",
                  cleaned(fault.instruction), kernel_name(fault.kernel));
  diagnostic.first = cleaned(fault.detail) + "; ";
  diagnostic.likely_cause = "the pointer or the leading dimension is computed from the thread index";
  diagnostic.next_step =
      "compute it from the warp index (threadIdx.x / 32): the instruction itself selects each lane's "
      "elements";
}

}  // namespace grader
