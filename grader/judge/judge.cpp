#include "judge/judge.hpp"

#include <algorithm>
#include <csignal>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/ascii.hpp"
#include "base/no_pattern.hpp"
#include "judge/arrays.hpp"
#include "judge/case_faults.hpp"
#include "judge/case_findings.hpp"
#include "judge/device_copies.hpp"
#include "judge/earlier_calls.hpp"
#include "judge/failed_calls.hpp"
#include "judge/kept_inputs.hpp"
#include "judge/measured_outputs.hpp"
#include "judge/origin.hpp"
#include "judge/output_values.hpp"
#include "judge/patterns.hpp"
#include "judge/program.hpp"
#include "judge/program_end.hpp"
#include "judge/slips.hpp"
#include "judge/traffic.hpp"

namespace grader {
namespace {

bool is_graders_fault(const CaseRun& run) {
  return run.end == CaseRun::End::grader_fault || run.end == CaseRun::End::stopped;
}

std::vector<const vgpu::Fault*> faults_of(const CaseRun& run) {
  std::vector<const vgpu::Fault*> faults;
  for (const vgpu::LaunchRecord& launch : run.session.launches)
    for (const vgpu::Fault& fault : launch.faults) faults.push_back(&fault);
  return faults;
}

void append(std::vector<Diagnostic>& all, std::vector<Diagnostic> more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

/// On the virtual GPU a program without launches takes no more time than its copies and fills; event times of
/// a real GPU are never 0.
bool launched_nothing(const harness::Job& job, const CaseRun& run) {
  return job.needs_launch && run.session.launches.empty() && run.session.launches_dropped == 0 &&
         run.seconds == run.session.device_copies.seconds;
}

Diagnostic nothing_launched(const harness::Job& job) {
  Diagnostic problem;
  problem.code = "WG-H12";
  problem.what = fmt::format("`{}` launches no kernel", job.entry);
  problem.likely_cause = "the launch is not written yet, or it is skipped";
  problem.next_step = "launch your kernel with kernel<<<grid, block>>>(…) for every size";
  if (job.piece && job.piece->elements > element_count(job.outputs.front().shape)) {
    problem.likely_cause += fmt::format("; or n / {} is rounded down to 0", job.piece->name);
    problem.next_step += fmt::format("; round up: lab::ceil_div(n, {})", job.piece->name);
  }
  return problem;
}

/// The harness always sends the requested outputs, so any other answer is not from the harness. Empty: no
/// problem.
std::string answer_problem(const harness::Answer& answer, const std::vector<Expectation>& expected) {
  if (answer.outputs.size() != expected.size())
    return fmt::format("the program sent {} outputs, but the grader requested {}", answer.outputs.size(),
                       expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Array& output = answer.outputs[i];
    if (output.name != expected[i].name || output.shape != expected[i].shape ||
        output.values.size() != expected[i].values.size())
      return fmt::format("output {} is not the requested `{}`", i + 1, expected[i].name);
  }
  return "";
}

Diagnostic forged_answer(const std::string& what) {
  Diagnostic problem;
  problem.code = "WG-H09";
  problem.what = "the answer does not match the request: " + what;
  problem.likely_cause = "something other than the harness wrote to the grader's channel";
  problem.next_step = "print with printf or std::cout; do not use other file descriptors";
  return problem;
}

/// Whether exactly the harness's calls were announced (harness/calls.cpp). A real GPU hears of none.
bool are_calls_announced(const harness::Job& job, const vgpu::cudart::SessionReport& session) {
  const bool is_virtual = session.sm_count > 0;
  const std::size_t announced = job.earlier.empty() ? 0 : job.earlier.size() + 1;
  return session.calls.size() == (is_virtual ? announced : 0);
}

Diagnostic forged_results(const std::string& difference) {
  Diagnostic problem;
  problem.code = "WG-S28";
  problem.what = "the results that the program sent differ from device memory: " + difference;
  problem.likely_cause =
      "something other than the harness sent them, or work continues after the function has returned";
  problem.next_step =
      "leave the results in the arrays that the function was given, and finish all work before it returns";
  return problem;
}

Diagnostic overrun_arrays(const std::vector<std::string>& names, bool on_real_gpu) {
  Diagnostic problem;
  problem.code = "WG-S29";
  problem.what = fmt::format("the bytes just before or after {} were overwritten", fmt::join(names, ", "));
  problem.likely_cause =
      "an index is negative or too large, or a copy is too long; that memory belongs to no array, so the "
      "program did not crash";
  problem.next_step = "check indices and the sizes of copies, in bytes, against the array's size";
  if (on_real_gpu) problem.next_step += "; on the virtual GPU the message names the kernel's thread and line";
  return problem;
}

/// Work that the kernels should have done.
std::optional<Diagnostic> diagnose_work_elsewhere(const CaseRun& run, const harness::Job& job) {
  for (const auto diagnose_work :
       {diagnose_origin, diagnose_measured_outputs, diagnose_traffic, diagnose_device_copies})
    if (auto found = diagnose_work(run, job)) return found;
  return std::nullopt;
}

/// A call that should have set a pointer failed first.
bool begins_with_failed_allocation(const CaseRun& run) {
  const auto& failures = run.session.failures;
  return !failures.empty() && (failures.front().call.find("Malloc") != std::string::npos ||
                               failures.front().call.find("Alloc") != std::string::npos);
}

/// Whether the function reports a refused launch as it should: it must fail, or happens in an earlier call,
/// and the outputs in host memory, such as the returned error, are right. Wrong outputs in device memory then
/// have another cause.
bool reports_refusal(const harness::Job& job, const CaseRun& run, const std::vector<Expectation>& expected) {
  const auto& launches = run.session.launches;
  const bool can_be_meant = !job.needs_launch || (!job.earlier.empty() && !launches.empty() &&
                                                  launches.back().error == vgpu::LaunchError::none);
  std::size_t on_host = 0;
  for (std::size_t i = 0; can_be_meant && i < expected.size(); ++i) {
    if (job.outputs[i].place != harness::Place::host) continue;
    if (!wrong_elements({run.answer.outputs[i], expected[i], {}}).empty()) return false;
    ++on_host;
  }
  return on_host > 0 && on_host < expected.size();
}

void warn_of_unused_value(Diagnostic& finding) {
  if (finding.severity != Severity::error) return;
  finding.severity = Severity::warning;
  finding.what += "; no result depends on it";
}

/// Values that are not finite, or fit no pattern, say nothing about their cause; a race in the same case
/// does.
void blame_race(std::vector<Diagnostic>& values, const std::vector<Diagnostic>& findings) {
  const auto race = std::find_if(findings.begin(), findings.end(), [](const Diagnostic& one) {
    return one.code.starts_with("WG-R") && one.severity == Severity::error;
  });
  if (race == findings.end()) return;
  for (Diagnostic& one : values)
    if (one.code == "WG-V03" || has_no_pattern(one)) {
      one.likely_cause = fmt::format("{} was found in this case, and can be the cause", race->code);
      one.next_step = fmt::format("repair {} first, then check again", race->code);
    }
}

void judge_answer(const harness::Job& job, const CaseRun& run, const std::vector<Expectation>& expected,
                  const SourceText& source, const std::vector<Hypothesis>& hypotheses, CaseFindings findings,
                  CaseVerdict& verdict) {
  std::vector<Diagnostic> calls = std::move(findings.calls);
  if (auto left = diagnose_left_error(run, job, source)) calls = {*std::move(left)};
  if (!run.session.protocol_error.empty()) calls.push_back(forged_answer(run.session.protocol_error));
  const std::string mismatch = answer_problem(run.answer, expected);
  // The harness sends no outputs if a CUDA call fails before them.
  if (!mismatch.empty() && calls.empty()) calls.push_back(forged_answer(mismatch));
  if (!mismatch.empty() || !run.answer.problem.empty() || !run.session.protocol_error.empty()) {
    verdict.verdict = Verdict::runtime_error;
    verdict.diagnostics = std::move(calls);
    return;
  }
  if (!run.answer.overrun.empty()) {
    verdict.verdict = Verdict::runtime_error;
    verdict.diagnostics = {overrun_arrays(run.answer.overrun, run.session.launches.empty())};
    return;
  }
  std::vector<Guesses> outputs = diagnose_outputs(job, run, expected, source, hypotheses);
  std::vector<Diagnostic> values;
  for (const Guesses& one : outputs) values.push_back(one.guesses.front().diagnostic);
  if (values.empty()) values = diagnose_earlier_outputs(job, run, expected);
  if (launched_nothing(job, run)) values = {nothing_launched(job)};
  if (values.empty() && !are_calls_announced(job, run.session)) {
    values = {
        forged_answer(fmt::format("{} calls of the function were announced", run.session.calls.size()))};
  } else if (auto kept = values.empty() ? diagnose_kept_result(job, run.session) : std::nullopt) {
    values = {*std::move(kept)};
  }
  if (!values.empty() && reports_refusal(job, run, expected))
    std::erase_if(calls, [](const Diagnostic& one) { return one.code == "WG-H07"; });
  if (std::vector<Diagnostic> changed = diagnose_changed_inputs(run, job, source); !changed.empty()) {
    verdict.verdict = Verdict::wrong_answer;
    verdict.diagnostics = std::move(changed);
    append(verdict.diagnostics, std::move(findings.diagnostics));
    append(verdict.diagnostics, std::move(values));
    return;
  }
  if (auto cheat = values.empty() ? diagnose_work_elsewhere(run, job) : std::nullopt) {
    verdict.verdict = Verdict::rejected;
    verdict.diagnostics = {*std::move(cheat)};
    return;
  }
  if (values.empty() && !findings.is_decisive) {
    if (auto lost = lost_by_repeated_calls(findings, run, job, source)) {
      verdict.verdict = Verdict::runtime_error;
      verdict.diagnostics = {*std::move(lost)};
      return;
    }
  }
  if (values.empty() && !findings.is_decisive) {
    // A failed call without consequence costs nothing, and neither does a value without meaning on which no
    // result depends.
    verdict.verdict = Verdict::accepted;
    for (Diagnostic& one : findings.diagnostics) warn_of_unused_value(one);
    verdict.diagnostics = warnings_of(findings);
    return;
  }
  const bool is_luck = values.empty();  // the values are right, but a race could have made them wrong
  verdict.verdict = calls.empty() && !is_luck ? Verdict::wrong_answer : Verdict::runtime_error;
  verdict.diagnostics = std::move(calls);
  if (!verdict.diagnostics.empty() && !is_luck) return;
  std::vector<Diagnostic> warnings = warnings_of(findings);
  std::erase_if(findings.diagnostics, [](const Diagnostic& one) { return one.severity != Severity::error; });
  blame_race(values, findings.diagnostics);
  const bool is_guess = verdict.diagnostics.empty() && findings.diagnostics.empty() && !outputs.empty() &&
                        values.front() == outputs.front().guesses.front().diagnostic;
  if (is_guess) {
    verdict.guesses = std::move(outputs.front().guesses);
    verdict.excluded = std::move(outputs.front().excluded);
  }
  append(verdict.diagnostics, std::move(findings.diagnostics));
  append(verdict.diagnostics, std::move(values));
  append(verdict.diagnostics, std::move(warnings));
}

/// The program ended by its own decision: exceptions that nothing catches and failed assertions abort.
bool ended_itself(const CaseRun& run) {
  return run.end == CaseRun::End::exited || (run.end == CaseRun::End::crashed && run.code == SIGABRT);
}

/// The program printed more than the runtime library's notes on a crash.
bool printed_message(const CaseRun& run) {
  std::istringstream lines(run.printed);
  for (std::string line; std::getline(lines, line);)
    if (!line.empty() && !line.starts_with("warpgrade: ")) return true;
  return false;
}

/// The program noticed that a CUDA call failed, and ended.
bool reports_failure(const CaseRun& run, const CaseFindings& findings) {
  return ended_itself(run) && printed_message(run) && !findings.calls.empty();
}

bool has_errors(const CaseFindings& findings) {
  const auto& all = findings.diagnostics;
  return std::any_of(all.begin(), all.end(),
                     [](const Diagnostic& one) { return one.severity == Severity::error; });
}

/// The line of the call compares what it returns.
bool compares_result(const Diagnostic& call) {
  return call.source_line.find("cudaSuccess") != std::string::npos ||
         trimmed(call.source_line).starts_with("if (cuda");
}

/// What went wrong after the failed call is a consequence.
Diagnostic unreported_failure(Diagnostic call, const CaseRun& run) {
  if (ended_itself(run)) {
    call.likely_cause = "the program ends after this call without a message, so its user does not learn why";
    call.next_step = "print what failed before the program ends, as CUDA_CHECK does";
    return call;
  }
  const bool never_ends = run.end == CaseRun::End::wall_limit || run.end == CaseRun::End::cpu_limit;
  if (never_ends && printed_message(run)) {
    call.likely_cause = "the program prints a message, but does not end after it";
    call.next_step = "end the program with exit or abort after the message, as CUDA_CHECK does";
    return call;
  }
  const bool has_ended = run.end == CaseRun::End::finished;
  if (has_ended && (printed_message(run) || compares_result(call))) {
    call.likely_cause =
        "the program notices that this call fails, but the function returns anyway: its caller takes "
        "the results for complete";
    call.next_step = "end the program with exit or abort after the message, as CUDA_CHECK does";
    return call;
  }
  call.likely_cause =
      "the program does not check what this call returns, and continues as if it had succeeded";
  call.next_step =
      "put CUDA_CHECK around each call of the CUDA runtime, also around cudaGetLastError() after a "
      "launch: it ends the program with a message";
  return call;
}

}  // namespace

bool has_right_outputs(const harness::Job& job, const CaseRun& run,
                       const std::vector<Expectation>& expected) {
  if (run.end != CaseRun::End::finished || !run.answer.problem.empty() || !run.forged.empty()) return false;
  if (!answer_problem(run.answer, expected).empty()) return false;
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (!wrong_elements({run.answer.outputs[i], expected[i], {}}).empty()) return false;
  return diagnose_earlier_outputs(job, run, expected).empty();
}

CaseVerdict judge_case(const std::string& case_name, const harness::Job& job, const CaseRun& run,
                       const std::vector<Expectation>& expected, const SourceText& source,
                       const std::vector<Hypothesis>& hypotheses) {
  CaseVerdict verdict;
  verdict.case_name = case_name;
  const auto end = diagnose_end(run, job, source);
  const auto faults = faults_of(run);
  CaseFindings findings = findings_of(run, job, source);
  if (is_graders_fault(run) || run.end == CaseRun::End::no_entry) {
    verdict.verdict = end->verdict;
    verdict.diagnostics = {end->diagnostic};
  } else if (!run.forged.empty()) {
    verdict.verdict = Verdict::rejected;
    verdict.diagnostics = {forged_results(run.forged)};
  } else if (job.may_fail && reports_failure(run, findings)) {
    verdict.verdict = Verdict::accepted;
  } else if (job.may_fail && !findings.calls.empty()) {
    verdict.verdict = Verdict::runtime_error;
    verdict.diagnostics = {unreported_failure(findings.calls.front(), run)};
  } else if (!faults.empty()) {
    verdict.verdict = is_endless(*faults.front()) ? Verdict::time_limit : Verdict::runtime_error;
    verdict.diagnostics = diagnose_faults(faults, job, run, source, has_errors(findings));
    if (is_null_access(*faults.front()) && begins_with_failed_allocation(run)) {
      append(findings.calls, std::move(verdict.diagnostics));
      verdict.diagnostics = std::move(findings.calls);
    }
    append(verdict.diagnostics, std::move(findings.diagnostics));
  } else if (end) {
    // If a call failed, it is probably why the program ended: CUDA_CHECK exits.
    verdict.verdict = end->verdict;
    if (run.end == CaseRun::End::exited || run.end == CaseRun::End::crashed)
      verdict.diagnostics = std::move(findings.calls);
    verdict.diagnostics.push_back(end->diagnostic);
  } else {
    judge_answer(job, run, expected, source, hypotheses, std::move(findings), verdict);
  }
  name_slips(verdict, source);
  if (!job.earlier.empty()) {
    for (Diagnostic& one : verdict.diagnostics) mention_earlier_calls(job, one);
    for (Guess& one : verdict.guesses) mention_earlier_calls(job, one.diagnostic);
  }
  if (verdict.diagnostics.size() > kMaxDiagnosticsPerCase) verdict.diagnostics.resize(kMaxDiagnosticsPerCase);
  return verdict;
}

}  // namespace grader
