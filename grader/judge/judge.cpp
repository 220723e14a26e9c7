#include "judge/judge.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "judge/arrays.hpp"
#include "judge/device_copies.hpp"
#include "judge/faults.hpp"
#include "judge/findings.hpp"
#include "judge/host.hpp"
#include "judge/kept_inputs.hpp"
#include "judge/origin.hpp"
#include "judge/patterns.hpp"
#include "judge/program.hpp"
#include "judge/source_hints.hpp"
#include "judge/stored_lines.hpp"
#include "judge/streams.hpp"
#include "judge/supply.hpp"
#include "judge/traffic.hpp"
#include "judge/wording.hpp"
#include "vgpu/facts/findings.hpp"
#include "vgpu/state/unwritten.hpp"

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

/// Everything that the checks and the runtime found, independent of the results.
struct Findings {
  std::vector<Diagnostic> diagnostics;
  bool is_decisive = false;
  std::vector<Diagnostic> calls;  ///< failed calls
  std::optional<Diagnostic> leak;
};

/// Removes a place that is not a line of the student's file: the program reports places itself, unverified.
void keep_own_place(Diagnostic& diagnostic) {
  if (diagnostic.source_line.empty()) diagnostic.where.reset();
}

/// Device memory that the submission did not free. The harness's own arrays do not count: it never frees
/// them.
std::optional<Diagnostic> diagnose_leak(const CaseRun& run, const harness::Job& job,
                                        const SourceText& source) {
  auto leak = leaked_memory(run.session, harness_allocations(job), [&](const auto&) { return source; });
  if (!leak) return leak;
  keep_own_place(*leak);
  // The caller of the function does not run the destructors of static objects.
  leak->likely_cause =
      "cudaFree is missing, an early return skips it, or it is called only after the function has returned: "
      "in a later call, or by the destructor of a static object";
  return leak;
}

std::optional<Diagnostic> leaked_handles(const vgpu::cudart::SessionReport& session, const SourceText& source,
                                         std::string_view entry) {
  if (session.live_streams + session.live_events == 0) return std::nullopt;
  std::string what;
  if (session.live_streams > 0) what = counted(session.live_streams, "stream");
  if (session.live_events > 0) what += (what.empty() ? "" : " and ") + counted(session.live_events, "event");
  Diagnostic leak = diagnose("WG-M09", "the program ends with " + what + " not destroyed",
                             "destroy streams and events on every path to the end of the function");
  leak.likely_cause =
      "cudaStreamDestroy or cudaEventDestroy is missing, or a condition or an early return skips it";
  const char* create = session.live_streams > 0 ? "cudaStreamCreate" : "cudaEventCreate";
  if (const auto line = only_call(source, create, entry)) {
    locate(leak, source.name, *line, source);
    leak.first = "created by this line";
  }
  return leak;
}

/// The kernel reads device memory that was never written, and a copy to the device has only the size of a
/// pointer.
bool lacks_most_of_a_copy(const vgpu::Fault& finding, const CaseRun& run) {
  return finding.kind == vgpu::FaultKind::uninitialised_read && finding.space != vgpu::ptx::Space::shared &&
         finding.nearest && finding.nearest->size_bytes > sizeof(void*) &&
         copies_pointer_size(run, vgpu::OperationKind::copy_to_device);
}

void name_pointer_size(Diagnostic& unwritten) {
  unwritten.likely_cause =
      "a copy to the device has 8 bytes, the size of a pointer: sizeof(pointer) is not the size of the array";
  unwritten.next_step = "copy the number of elements times the size of an element: n * sizeof(float)";
}

bool is_global_race(const vgpu::Fault& finding) { return finding.kind == vgpu::FaultKind::global_race; }

/// Blocks of a kernel that uses atomic operations race, but those of its first launch in the process did not:
/// something that the kernel relies on was different at its start.
bool raced_only_later(const vgpu::Fault& race, const CaseRun& run, const SourceText& source) {
  // Another cause is known: describe_global_race() in findings.cpp.
  const bool is_of_block = race.instruction.find(".cta") != std::string::npos ||
                           first_use(source, "__threadfence_block").has_value();
  if (is_of_block || !is_global_race(race) || race.block == race.other->block ||
      race.is_store == race.other->is_store)
    return false;
  const auto& launches = run.session.launches;
  const auto first = std::find_if(launches.begin(), launches.end(),
                                  [&](const auto& launch) { return launch.kernel == race.kernel; });
  return first != launches.end() && first->counters.global_atomics.requests > 0 &&
         std::none_of(first->findings.begin(), first->findings.end(), is_global_race);
}

void name_kept_counter(Diagnostic& race) {
  race.likely_cause =
      "a counter or flag by which blocks find out that others have finished (a __device__ variable, for "
      "instance) still has its value from an earlier launch: the first launch of this kernel has no such "
      "race; or one block relies on data that another block writes during the same launch";
  race.next_step =
      "set the counter to 0 before each launch (cudaMemset, cudaMemcpyToSymbol), or let the last block do so "
      "at its end";
}

/// The name of the output in device memory that contains the address, or "".
std::string output_at(std::uint64_t address, const CaseRun& run, const harness::Job& job) {
  for (std::size_t i = 0; i < std::min(job.outputs.size(), run.answer.addresses.size()); ++i) {
    const std::uint64_t start = run.answer.addresses[i];
    if (start != 0 && address >= start && address - start < 4 * element_count(job.outputs[i].shape))
      return job.outputs[i].name;
  }
  return "";
}

/// The virtual GPU runs the lanes of a warp together again after each branch and each loop; other GPUs need
/// not do so before the next warp-wide operation (CUDA C++ Programming Guide, "Independent Thread
/// Scheduling").
std::optional<Diagnostic> warn_of_active_mask(const CaseRun& run, const SourceText& source) {
  const auto line = first_use(source, "__activemask");
  const auto& launches = run.session.launches;
  if (!line || std::none_of(launches.begin(), launches.end(), [&](const vgpu::LaunchRecord& launch) {
        return std::any_of(launch.lines.begin(), launch.lines.end(),
                           [&](const vgpu::LineCounters& one) { return one.line == *line; });
      }))
    return std::nullopt;
  Diagnostic warning = diagnose(
      "WG-B03", "`__activemask()` names the lanes that run together by chance",
      "compute the mask from the data with __ballot_sync(0xffffffff, condition) before the branch, or "
      "let all 32 lanes take part");
  warning.severity = Severity::warning;
  warning.likely_cause =
      "after a branch or a loop, a GPU does not have to run all lanes of the warp together again, so on some "
      "GPUs the mask lacks lanes";
  locate(warning, source.name, *line, source);
  return warning;
}

/// The findings of all launches, with equal mistakes merged; races come first.
Findings findings_of(const CaseRun& run, const harness::Job& job, const SourceText& source) {
  std::vector<vgpu::Fault> folded;
  for (const vgpu::LaunchRecord& launch : run.session.launches) vgpu::fold_findings(folded, launch.findings);
  vgpu::drop_explained(folded);
  std::stable_sort(folded.begin(), folded.end(),
                   [](const vgpu::Fault& a, const vgpu::Fault& b) { return a.kind < b.kind; });
  Findings found{.calls = diagnose_calls(run, source), .leak = diagnose_leak(run, job, source)};
  advise_on_refusal(found.calls, run, job);
  for (const vgpu::Fault& finding : folded) {
    found.is_decisive |= is_decisive(finding);
    found.diagnostics.push_back(diagnose_finding(finding, job, source));
    if (lacks_most_of_a_copy(finding, run)) name_pointer_size(found.diagnostics.back());
    if (raced_only_later(finding, run, source)) name_kept_counter(found.diagnostics.back());
  }
  if (auto warning = warn_of_active_mask(run, source)) found.diagnostics.push_back(*std::move(warning));
  for (const vgpu::cudart::StreamRace& race : run.session.stream_races) {
    found.is_decisive = true;
    found.diagnostics.push_back(diagnose_stream_race(
        race, [&](const auto&) { return source; }, output_at(race.address, run, job)));
    keep_own_place(found.diagnostics.back());
  }
  return found;
}

void append(std::vector<Diagnostic>& all, std::vector<Diagnostic> more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

/// An access just outside of memory that the program allocated itself.
bool leaves_own_buffer(const vgpu::Fault& fault, const harness::Job& job) {
  return fault.kind == vgpu::FaultKind::out_of_bounds && fault.nearest && !named_array(fault, job);
}

void name_kept_buffer(Diagnostic& outside) {
  outside.likely_cause =
      "the buffer has the size that an earlier call needed, and is too small for a later one";
  outside.next_step = "allocate the buffer in each call, or again when a call needs more";
}

/// Blocks that cannot start while others wait for them are a frequent reason for an endless launch.
void mention_waiting_blocks(const vgpu::cudart::SessionReport& session, const vgpu::Fault& fault,
                            Diagnostic& endless) {
  const auto launch =
      std::find_if(session.launches.begin(), session.launches.end(), [&](const vgpu::LaunchRecord& one) {
        return std::any_of(one.faults.begin(), one.faults.end(),
                           [&](const auto& its) { return &its == &fault; });
      });
  if (launch == session.launches.end()) return;
  const std::uint64_t resident = std::uint64_t{launch->occupancy.blocks_per_sm} * session.sm_count;
  if (resident == 0 || launch->grid.count() <= resident) return;
  endless.likely_cause += fmt::format(
      "; or blocks wait for each other: {} of the {} blocks fit on the device at the same time, and the "
      "others cannot start before one of these ends",
      resident, launch->grid.count());
  endless.next_step +=
      "; for a barrier of all blocks, launch at most as many blocks as fit, with cudaLaunchCooperativeKernel";
}

void diagnose_faults(const std::vector<const vgpu::Fault*>& faults, const harness::Job& job,
                     const CaseRun& run, const SourceText& source, CaseVerdict& verdict) {
  const bool hit_step_limit = faults.front()->kind == vgpu::FaultKind::step_limit;
  verdict.verdict = hit_step_limit ? Verdict::time_limit : Verdict::runtime_error;
  for (const vgpu::Fault* fault : faults) {
    verdict.diagnostics.push_back(diagnose_fault(*fault, job, source));
    if (fault->kind == vgpu::FaultKind::step_limit)
      mention_waiting_blocks(run.session, *fault, verdict.diagnostics.back());
    if (!job.earlier.empty() && leaves_own_buffer(*fault, job)) name_kept_buffer(verdict.diagnostics.back());
  }
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
  problem.what = fmt::format("the memory just before or after {} was overwritten", fmt::join(names, ", "));
  problem.likely_cause =
      "an index is negative or too large, or a copy is too long; that memory belongs to no array, so the "
      "program did not crash";
  problem.next_step = "check indices and the sizes of copies, in bytes, against the array's size";
  if (on_real_gpu) problem.next_step += "; on the virtual GPU the message names the kernel's thread and line";
  return problem;
}

std::string name_of(harness::EarlierCall::Values values) {
  switch (values) {
    case harness::EarlierCall::Values::almost_equal_elsewhere:
      return "almost equal values in other arrays";
    case harness::EarlierCall::Values::almost_equal:
      return "almost equal values";
    case harness::EarlierCall::Values::other:
      break;
  }
  return "other values";
}

/// "n = 1, then n = 5003"
std::string earlier_calls_of(const harness::Job& job) {
  std::vector<std::string> calls;
  for (const harness::EarlierCall& one : job.earlier) {
    std::vector<std::string> different;
    for (const auto& [name, value] : one.scalars)
      if (job.scalars.at(name) != value) different.push_back(fmt::format("{} = {}", name, value));
    calls.push_back(different.empty() ? name_of(one.values) : fmt::format("{}", fmt::join(different, ", ")));
  }
  return fmt::format("{}", fmt::join(calls, ", then "));
}

/// Mentions the earlier calls where the problem is an error.
void mention_earlier_calls(const harness::Job& job, std::vector<Diagnostic>& diagnostics) {
  for (Diagnostic& one : diagnostics)
    if (one.severity == Severity::error)
      one.first += fmt::format("{}the case first calls `{}` with {}", one.first.empty() ? "" : "; ",
                               job.entry, earlier_calls_of(job));
}

/// A frequent cause of wrong values that leaves no trace in them.
std::optional<std::string> hint_from(const SourceText& source, const harness::Job& job) {
  if (const auto line = first_use(source, "__activemask"))
    return fmt::format(
        "no known pattern fits; __activemask() in line {} names the lanes that happen to run together, not "
        "the lanes that should take part: compute the mask from the data with __ballot_sync(0xffffffff, "
        "condition) before the branch, or let all 32 lanes take part",
        *line);
  if (job.earlier.empty()) return std::nullopt;
  return "no known pattern fits; if the function is right in its first call, a buffer or a variable (static, "
         "global, __device__) keeps a size or values from an earlier call";
}

/// A shuffle from a lane that does not take part returns a value that spoils the result.
void mention_shuffle(Diagnostic& problem, const SourceText& source) {
  for (const char* shuffle : {"__shfl_down_sync", "__shfl_xor_sync", "__shfl_up_sync", "__shfl_sync"}) {
    const auto line = first_use(source, shuffle);
    if (!line) continue;
    problem.likely_cause = fmt::format(
        "{} in line {} reads from a lane that does not take part: the lane has returned, skipped the branch, "
        "or is not in the mask; or something else is used before it has a value",
        shuffle, *line);
    problem.next_step =
        "let all 32 lanes reach the shuffle, those without an element with a value that changes nothing (0 "
        "for a sum)";
    return;
  }
}

/// The value of such a shuffle, alone or with others (vgpu/state/unwritten.hpp).
bool has_huge(const Array& output) {
  return std::any_of(output.values.begin(), output.values.end(), [](float value) {
    return std::isfinite(value) && std::fabs(value) >= vgpu::kLeastUnwritten;
  });
}

/// The line that stored the wrong element changes what was in memory before.
void mention_start_value(Diagnostic& problem, const std::string& output) {
  problem.likely_cause = fmt::format(
      "`{}` was not set before this line adds to it, or combines it with a value; or that value is itself "
      "not "
      "finite",
      output);
  problem.next_step =
      "set the output to 0 (for a minimum or a maximum: to the value that changes nothing) with cudaMemset "
      "or a kernel before the launch, in each call";
}

bool is_atomic(const std::string& line) { return line.find("atomic") != std::string::npos; }

/// The bits with which the harness fills outputs are -1 as an integer: where a kernel is known to have stored
/// them, they are that number.
Array with_stored_integers(const Array& output, const StoredLines& lines) {
  Array numbers = output;
  for (std::size_t i = 0; i < numbers.values.size(); ++i)
    if (std::bit_cast<std::uint32_t>(numbers.values[i]) == kPoisonBits && lines.is_stored(i))
      numbers.values[i] = -1;
  return numbers;
}

std::vector<Diagnostic> diagnose_outputs(const harness::Job& job, const CaseRun& run,
                                         const std::vector<Expectation>& expected, const SourceText& source,
                                         const std::vector<Hypothesis>& hypotheses) {
  std::vector<Diagnostic> found;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const StoredLines lines(run, job, i, source);
    const bool is_integer = job.outputs[i].element == harness::Element::i32;
    const Array& answer = run.answer.outputs[i];
    const Array actual = is_integer ? with_stored_integers(answer, lines) : answer;
    const OutputPair output{
        actual, expected[i], supply_of(run, job, i), job.outputs[i].place, hint_from(source, job), &lines};
    auto problem = diagnose_values(output, hypotheses);
    if (!problem) continue;
    const bool is_spoiled =
        problem->code == "WG-V03" || (problem->code == "WG-V09" && has_huge(run.answer.outputs[i]));
    if (is_spoiled && is_atomic(problem->source_line))
      mention_start_value(*problem, expected[i].name);
    else if (is_spoiled)
      mention_shuffle(*problem, source);
    found.push_back(*std::move(problem));
  }
  return found;
}

/// Work that the kernels should have done.
std::optional<Diagnostic> diagnose_work_elsewhere(const CaseRun& run, const harness::Job& job) {
  for (const auto diagnose_work : {diagnose_origin, diagnose_traffic, diagnose_device_copies})
    if (auto found = diagnose_work(run, job)) return found;
  return std::nullopt;
}

/// Warnings and notes of the checks, and memory that was not freed.
std::vector<Diagnostic> warnings_of(const Findings& findings) {
  std::vector<Diagnostic> warnings;
  std::copy_if(findings.diagnostics.begin(), findings.diagnostics.end(), std::back_inserter(warnings),
               [](const Diagnostic& one) { return one.severity != Severity::error; });
  if (findings.leak) warnings.push_back(*findings.leak);
  return warnings;
}

/// Functions that get arrays in host memory free the device memory that they allocate and destroy their
/// streams and events, and a process that calls them again and again must not run out of them. A single call
/// that leaks memory gets a warning.
bool must_free(const harness::Job& job) { return is_on_host(job) && !job.earlier.empty(); }

void judge_answer(const harness::Job& job, const CaseRun& run, const std::vector<Expectation>& expected,
                  const SourceText& source, const std::vector<Hypothesis>& hypotheses, Findings findings,
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
  std::vector<Diagnostic> values = diagnose_outputs(job, run, expected, source, hypotheses);
  if (launched_nothing(job, run)) values = {nothing_launched(job)};
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
  if (values.empty() && !findings.is_decisive && must_free(job)) {
    if (auto leak = findings.leak ? findings.leak : leaked_handles(run.session, source, job.entry)) {
      verdict.verdict = Verdict::runtime_error;
      verdict.diagnostics = {*std::move(leak)};
      verdict.diagnostics.front().severity = Severity::error;
      return;
    }
  }
  if (values.empty() && !findings.is_decisive) {
    // A failed call without consequence costs nothing, and neither does an unused read of unwritten memory.
    verdict.verdict = Verdict::accepted;
    verdict.diagnostics = warnings_of(findings);
    return;
  }
  const bool is_luck = values.empty();  // the values are right, but a race could have made them wrong
  verdict.verdict = calls.empty() && !is_luck ? Verdict::wrong_answer : Verdict::runtime_error;
  verdict.diagnostics = std::move(calls);
  if (!verdict.diagnostics.empty() && !is_luck) return;
  std::vector<Diagnostic> warnings = warnings_of(findings);
  std::erase_if(findings.diagnostics, [](const Diagnostic& one) { return one.severity != Severity::error; });
  append(verdict.diagnostics, std::move(findings.diagnostics));
  append(verdict.diagnostics, std::move(values));
  append(verdict.diagnostics, std::move(warnings));
}

}  // namespace

CaseVerdict judge_case(const std::string& case_name, const harness::Job& job, const CaseRun& run,
                       const std::vector<Expectation>& expected, const SourceText& source,
                       const std::vector<Hypothesis>& hypotheses) {
  CaseVerdict verdict;
  verdict.case_name = case_name;
  const auto end = diagnose_end(run, job, source);
  const auto faults = faults_of(run);
  Findings findings = findings_of(run, job, source);
  if (is_graders_fault(run) || run.end == CaseRun::End::no_entry) {
    verdict.verdict = end->verdict;
    verdict.diagnostics = {end->diagnostic};
  } else if (!run.forged.empty()) {
    verdict.verdict = Verdict::rejected;
    verdict.diagnostics = {forged_results(run.forged)};
  } else if (!faults.empty()) {
    diagnose_faults(faults, job, run, source, verdict);
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
  if (!job.earlier.empty()) mention_earlier_calls(job, verdict.diagnostics);
  if (verdict.diagnostics.size() > kMaxDiagnosticsPerCase) verdict.diagnostics.resize(kMaxDiagnosticsPerCase);
  return verdict;
}

}  // namespace grader
