#include "judge/program_end.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "judge/code_text.hpp"
#include "judge/crash.hpp"
#include "judge/declarations.hpp"
#include "judge/function_lines.hpp"
#include "judge/host_problem.hpp"
#include "judge/wording.hpp"

namespace grader {
namespace {

using End = CaseRun::End;

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

}  // namespace

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

}  // namespace grader
