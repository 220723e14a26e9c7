#include "judge/faults.hpp"

#include <optional>

#include <fmt/format.h>

#include "base/ascii.hpp"
#include "judge/barrier_faults.hpp"
#include "judge/code_text.hpp"
#include "judge/declarations.hpp"
#include "judge/endless_loop.hpp"
#include "judge/memory_faults.hpp"
#include "judge/source_hints.hpp"
#include "judge/unknown_lines.hpp"
#include "judge/wording.hpp"
#include "vgpu/facts/address_text.hpp"

namespace grader {
namespace {

using vgpu::Fault;
using vgpu::FaultKind;
using vgpu::cudart::MemoryNames;

void describe_step_limit(const Fault& fault, const SourceText& source, Diagnostic& diagnostic) {
  diagnostic.code = "WG-H04";
  if (fault.detail == vgpu::kRacesTooOften) {
    diagnostic.what = fmt::format("`{}` was stopped: {}", kernel_name(fault.kernel), fault.detail);
    diagnostic.likely_cause = "to report a race takes time, so races count as instructions of a launch";
    diagnostic.next_step = "repair the race first";
    return;
  }
  if (fault.detail == vgpu::kWaitsInVain) {
    diagnostic.what = fmt::format("`{}` does not end: {}", kernel_name(fault.kernel), fault.detail);
    diagnostic.likely_cause =
        "threads wait in a loop for others that have ended, wait themselves or have not started, or for the "
        "host or another stream";
    diagnostic.next_step =
        "within a block, use __syncthreads(); what needs the results of all blocks belongs in a second "
        "kernel";
    return;
  }
  diagnostic.what =
      fmt::format("`{}` ran more instructions than a launch is allowed", kernel_name(fault.kernel));
  diagnostic.likely_cause =
      "a loop in the kernel never ends, or waits for something that the host or another stream does later";
  diagnostic.next_step =
      "check the loop's condition and that its variable changes; on the virtual GPU a kernel ends before its "
      "launch returns";
  if (fault.detail == vgpu::kManyBlocks) return;
  if (auto cause = endless_loop(source, fault.file, fault.source.line))
    diagnostic.likely_cause = *std::move(cause);
}

void describe_unsupported(const Fault& fault, Diagnostic& diagnostic) {
  const std::string& form = fault.detail.empty() ? fault.instruction : fault.detail;
  diagnostic.code = "WG-H10";
  diagnostic.what = fmt::format("`{}` uses a feature that the virtual GPU does not support: {}",
                                kernel_name(fault.kernel), cleaned(form));
  diagnostic.likely_cause = "the code might be correct, but this device lacks the instruction";
  diagnostic.next_step = "write it in another way, or use a real GPU with --device cuda";
}

void describe_trap(const Fault& fault, Diagnostic& diagnostic) {
  diagnostic.code = "WG-H11";
  diagnostic.what =
      fault.detail.empty()
          ? fmt::format("`{}` stopped itself with a trap", kernel_name(fault.kernel))
          : fmt::format("an assertion in `{}` failed: {}", kernel_name(fault.kernel), cleaned(fault.detail));
  diagnostic.likely_cause = "a check in your own kernel found an unexpected value";
  diagnostic.next_step = "inspect the values that the check compares";
  if (!fault.detail.empty()) return;
  diagnostic.likely_cause += "; grid.sync() stops a kernel that was not launched cooperatively";
  diagnostic.next_step += "; if blocks wait for each other, launch with cudaLaunchCooperativeKernel";
}

void describe_invalid_barrier(const Fault& fault, Diagnostic& diagnostic) {
  diagnostic.code = "WG-B10";
  diagnostic.what = fmt::format("`{}` in `{}` is invalid: {}", cleaned(fault.instruction),
                                kernel_name(fault.kernel), cleaned(fault.detail));
  if (is_of_memory_barrier(fault)) {
    diagnostic.likely_cause =
        "the barrier is used before init() or after its memory was overwritten, or its count differs from "
        "the number of threads that arrive in each phase";
    diagnostic.next_step =
        "let one thread call init() with the number of arrivals per phase, then call __syncthreads() before "
        "other threads use the barrier";
    return;
  }
  diagnostic.likely_cause = "the number or the count of a named barrier is computed wrongly";
  diagnostic.next_step = "use barriers 0 to 15, with whole warps";
}

void describe_stack_overflow(const Fault& fault, Diagnostic& diagnostic) {
  diagnostic.code = "WG-M10";
  diagnostic.what = fmt::format("the stack of {} bytes per thread overflowed when `{}` called `{}`",
                                fault.access_bytes, kernel_name(fault.kernel), kernel_name(fault.detail));
  diagnostic.likely_cause = "the recursion does not end, or it is deeper than the stack allows";
  diagnostic.next_step =
      "check the condition that ends the recursion; if it is right, request a larger stack with "
      "cudaDeviceSetLimit(cudaLimitStackSize, bytes)";
}

void describe_invalid_call(const Fault& fault, Diagnostic& diagnostic) {
  diagnostic.code = "WG-M11";
  diagnostic.what = fmt::format("`{}` called a function through an invalid pointer: {}",
                                kernel_name(fault.kernel), cleaned(fault.detail));
  diagnostic.likely_cause =
      "the function pointer was taken on the host or never set, or the object with the virtual function was "
      "created on the host or no longer exists";
  diagnostic.next_step =
      "take addresses of __device__ functions and create objects with virtual functions in device code";
}

void describe_invalid_free(const Fault& fault, Diagnostic& diagnostic) {
  diagnostic.code = "WG-M12";
  diagnostic.what = fmt::format("`{}` freed {}, which {}", kernel_name(fault.kernel),
                                vgpu::address_text(fault.address), cleaned(fault.detail));
  diagnostic.likely_cause =
      "the memory is freed twice, is freed by two threads, or was not allocated in a kernel";
  diagnostic.next_step =
      "let one thread free each allocation once; free memory from cudaMalloc with cudaFree on the host";
}

void describe_invalid_texture(const Fault& fault, Diagnostic& diagnostic) {
  diagnostic.code = "WG-M14";
  diagnostic.what = fmt::format("`{}` cannot read the texture object at {}: {}", kernel_name(fault.kernel),
                                vgpu::address_text(fault.address), cleaned(fault.detail));
  diagnostic.likely_cause =
      "the object was never created, is destroyed before the kernel runs, or its kind does not match the "
      "fetch";
  diagnostic.next_step =
      "check what cudaCreateTextureObject returned, and destroy the object after the last kernel that uses "
      "it";
}

void describe_invalid_surface(const Fault& fault, Diagnostic& diagnostic) {
  diagnostic.code = "WG-M14";
  diagnostic.what = fmt::format("`{}` cannot {} the surface object at {}: {}", kernel_name(fault.kernel),
                                fault.is_store ? "write" : "read", vgpu::address_text(fault.address),
                                cleaned(fault.detail));
  diagnostic.likely_cause =
      "the object was never created, is destroyed before the kernel runs, or its kind does not match the "
      "access";
  diagnostic.next_step =
      "check what cudaCreateSurfaceObject returned, and destroy the object after the last kernel that uses "
      "it";
}

void describe(const Fault& fault, const harness::Job& job, const SourceText& source,
              const MemoryNames& memory, Diagnostic& diagnostic) {
  switch (fault.kind) {
    case FaultKind::out_of_bounds:
      return describe_out_of_bounds(fault, job, source, memory, diagnostic);
    case FaultKind::misaligned:
      return describe_misaligned(fault, memory, diagnostic);
    case FaultKind::use_after_free:
      return describe_freed(fault, job, memory, diagnostic);
    case FaultKind::write_to_constant:
      return describe_constant_write(fault, diagnostic);
    case FaultKind::divergent_barrier:
    case FaultKind::barrier_deadlock:
      return describe_barrier(fault, source, diagnostic);
    case FaultKind::missing_lanes:
      return describe_missing_lanes(fault, diagnostic);
    case FaultKind::not_uniform:
      return describe_not_uniform(fault, diagnostic);
    case FaultKind::stack_overflow:
      return describe_stack_overflow(fault, diagnostic);
    case FaultKind::invalid_call:
      return describe_invalid_call(fault, diagnostic);
    case FaultKind::invalid_free:
      return describe_invalid_free(fault, diagnostic);
    case FaultKind::invalid_texture:
      return describe_invalid_texture(fault, diagnostic);
    case FaultKind::invalid_surface:
      return describe_invalid_surface(fault, diagnostic);
    case FaultKind::invalid_barrier:
      return describe_invalid_barrier(fault, diagnostic);
    case FaultKind::step_limit:
      return describe_step_limit(fault, source, diagnostic);
    case FaultKind::unsupported:
      return describe_unsupported(fault, diagnostic);
    case FaultKind::trap:
      return describe_trap(fault, diagnostic);
    default:  // findings.cpp
      return;
  }
}

/// A wrong argument is the mistake of a line that has a launch, not of the line in the kernel.
void name_launch(const Fault& fault, const harness::Job& job, const SourceText& source,
                 Diagnostic& diagnostic) {
  const auto line = launch_of(source, kernel_name(fault.kernel), job.entry);
  if (!line) return;
  diagnostic.first += fmt::format("; launched by line {}", *line);
  const std::string variable = device_variable_in(source, *line);
  if (variable.empty()) return;
  diagnostic.likely_cause = fmt::format(
      "the launch passes `{}`, a variable of the device: in host code, its name has a host address",
      variable);
  diagnostic.next_step = fmt::format(
      "let the kernel use `{}` by its name, without a parameter, or pass the address from "
      "cudaGetSymbolAddress",
      variable);
}

}  // namespace

Diagnostic diagnose_fault(const Fault& fault, const harness::Job& job, const SourceText& source,
                          const MemoryNames& memory) {
  Diagnostic diagnostic;
  diagnostic.count = fault.count;
  describe(fault, job, source, memory, diagnostic);
  diagnostic.first += thread_place(fault.block, fault.thread);
  if (diagnostic.code == "WG-M13") name_launch(fault, job, source, diagnostic);
  locate_access(diagnostic, fault, job.entry, source);
  return diagnostic;
}

}  // namespace grader
