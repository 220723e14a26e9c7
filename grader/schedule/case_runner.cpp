#include "schedule/case_runner.hpp"

#include <algorithm>
#include <exception>

#include "schedule/reasons.hpp"

namespace grader {
namespace {

// On a real GPU the first calls pay for context, clocks and caches; enough repeats follow for a median and
// its interval.
constexpr std::uint32_t kWarmUps = 3;
constexpr std::uint32_t kRepeats = 20;

CaseOutcome failed(const std::string& case_name, const std::string& what) {
  CaseOutcome outcome;
  outcome.verdict = {case_name, Verdict::grader_fault, {grader_failure(what)}};
  return outcome;
}

}  // namespace

bool CaseRunner::is_timed(const std::string& name) const {
  return std::any_of(lab_.tasks.begin(), lab_.tasks.end(), [&](const Task& task) {
    return task.speedup && task.speedup->case_on(runner_.options().device) == name;
  });
}

CaseOutcome CaseRunner::run(const std::string& name, const Built& built, const SourceText& source) {
  try {
    const auto& prepared = cases_.prepare(name);
    if (!prepared) return failed(name, "case " + name + ": " + prepared.error());
    return run_prepared(*prepared, built, source);
  } catch (const std::exception& error) {
    return failed(name, error.what());
  }
}

CaseOutcome CaseRunner::run_prepared(const PreparedCase& prepared, const Built& built,
                                     const SourceText& source) {
  const std::string& name = prepared.definition->name;
  const bool is_virtual = runner_.options().device == DeviceKind::virtual_gpu;
  const bool timed = is_timed(name);
  CaseOutcome outcome;
  if (timed && !is_virtual) {
    if (const auto problem = run_timed_on_cuda(prepared, built, outcome)) return failed(name, *problem);
  } else {
    // Checked runs count and take (modelled) time like others: one run serves all.
    outcome.run = runner_.run(built, prepared.job, profile_of(prepared), vgpu::Checks::all());
  }
  outcome.verdict = judge_case(name, prepared.job, outcome.run, prepared.expected, source,
                               prepared.workload->hypotheses(prepared.job));
  const bool accepted = outcome.verdict.verdict == Verdict::accepted;
  if (is_virtual && accepted) {
    outcome.counters = named_counters(outcome.run.session);
    add_ratios(outcome.counters, lab_.counters(), prepared.quantities, profile_of(prepared).clock_hz);
  }
  if (is_virtual && accepted && timed) {
    const auto& baseline = baseline_.seconds(prepared, profile_of(prepared));
    if (!baseline) return failed(name, baseline.error());
    outcome.speed = SpeedSamples{{*baseline}, {seconds_of(outcome.run, prepared.workload->time_measure())}};
  }
  if (!accepted) outcome.speed.reset();  // a wrong answer is never fast
  return outcome;
}

std::optional<std::string> CaseRunner::run_timed_on_cuda(const PreparedCase& prepared, const Built& built,
                                                         CaseOutcome& outcome) {
  const auto& baseline = baseline_.built();
  if (!baseline) return baseline.error();
  harness::Job job = prepared.job;
  job.warm_ups = kWarmUps;
  job.repeats = kRepeats;
  auto [naive, student] = runner_.run_interleaved(*baseline, built, job, profile_of(prepared));
  outcome.run = std::move(student);
  if (outcome.run.end != CaseRun::End::finished) return std::nullopt;  // the student's program failed: judged
  if (const std::string why = failure_of(naive); !why.empty())
    return "the baseline on " + prepared.definition->name + ": " + why;
  outcome.speed = SpeedSamples{naive.answer.seconds, outcome.run.answer.seconds};
  return std::nullopt;
}

}  // namespace grader
