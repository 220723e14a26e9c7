#include "judge/unwritten_reads.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "judge/declarations.hpp"
#include "judge/source_hints.hpp"
#include "judge/wording.hpp"

namespace grader {
namespace {

using vgpu::Fault;
using vgpu::FaultKind;
using vgpu::ptx::Space;

/// `output`: whose contents of before the call the kernel reads.
void describe_old_output(const Fault& finding, const std::string& output, Diagnostic& diagnostic) {
  const std::string kernel = kernel_name(finding.kernel);
  diagnostic.likely_cause =
      "an output has no values when the function is called: what it contains then can be anything";
  diagnostic.what = fmt::format("`{}` uses the old contents of the output `{}`", kernel, output);
  diagnostic.next_step =
      "set it in each call before this line, with a kernel or cudaMemset (for a minimum or a maximum, to "
      "the value that changes nothing), or start from a value of your own";
  if (finding.detail.empty()) return;
  diagnostic.likely_cause =
      "the element was set only in part: cudaMemset and cudaMemcpy count bytes, and a float or an int has 4";
  diagnostic.next_step = "set the number of elements times the size of one, such as n * sizeof(int)";
}

}  // namespace

std::optional<NamedArray> read_output(const Fault& finding, const harness::Job& job) {
  if (finding.kind != FaultKind::uninitialised_read || finding.space == Space::shared) return std::nullopt;
  auto array = named_array(finding, job);
  return array && array->is_output ? array : std::nullopt;
}

bool reads_old_outputs(const CaseRun& run, const harness::Job& job) {
  const auto& launches = run.session.launches;
  return std::any_of(launches.begin(), launches.end(), [&](const vgpu::LaunchRecord& launch) {
    return std::any_of(launch.findings.begin(), launch.findings.end(), [&](const Fault& finding) {
      return !finding.is_harmless && read_output(finding, job).has_value();
    });
  });
}

void drop_reads_of_old_outputs(CaseRun& run, const harness::Job& job) {
  for (vgpu::LaunchRecord& launch : run.session.launches)
    std::erase_if(launch.findings,
                  [&](const Fault& finding) { return read_output(finding, job).has_value(); });
}

void describe_unwritten(const Fault& finding, const harness::Job& job, const SourceText& source,
                        Diagnostic& diagnostic) {
  const bool is_shared = finding.space == Space::shared;
  diagnostic.code = is_shared ? "WG-M08" : "WG-M07";
  const bool is_part = !finding.detail.empty();
  diagnostic.what = fmt::format("`{}` reads {} memory {} was never written", kernel_name(finding.kernel),
                                is_shared ? "shared" : "device", is_part ? "of which a part" : "that");
  diagnostic.likely_cause =
      is_shared ? "not every element of the array is loaded or set before it is used"
                : "the array was allocated but neither copied to nor cleared, or only in part";
  diagnostic.next_step = is_shared
                             ? "write every element that is read, including those beyond the edge of the data"
                             : "copy to the array or call cudaMemset before the kernel reads it";
  if (!is_shared && finding.written_bytes > 0 && finding.nearest &&
      finding.written_bytes < finding.nearest->size_bytes) {
    diagnostic.likely_cause = fmt::format(
        "only {} of the {} bytes of this memory have been written: a copy to it or a fill is too "
        "small, or has another start",
        finding.written_bytes, finding.nearest->size_bytes);
    diagnostic.next_step = "copy the number of elements times the size of one, such as n * sizeof(float)";
  }
  if (!is_shared && is_of_device_heap(finding)) {
    diagnostic.likely_cause = "malloc and new in a kernel set no values: a thread must store them first";
    diagnostic.next_step = "store every element that is read; `new int[8]()` sets them to 0";
  }
  if (!is_shared && !named_array(finding, job)) advise_on_pitch(source, diagnostic);
  if (const auto output = read_output(finding, job))
    return describe_old_output(finding, output->name, diagnostic);
  if (finding.is_harmless) {
    diagnostic.severity = Severity::note;
    diagnostic.what += ", but does not use the value";
    return;
  }
  if (is_shared && extents_of(source, kernel_name(finding.variable)) == 0) {
    diagnostic.likely_cause = "the variable is not set before it is used: each block has its own";
    diagnostic.next_step =
        "let one thread of the block set it, and call __syncthreads() before other threads use it";
    return;
  }
  const auto early = is_shared ? return_before_barrier(source, finding.file, finding.source.line,
                                                       kernel_name(finding.kernel))
                               : std::nullopt;
  if (early) {
    diagnostic.likely_cause = fmt::format(
        "threads that return in line {}, before the barrier, do not write their elements of the array",
        *early);
    diagnostic.next_step =
        "let every thread of the block take part in loading and in every barrier, and store 0 for elements "
        "that do not exist; return, or skip the last store, only after the last barrier";
  }
}

}  // namespace grader
