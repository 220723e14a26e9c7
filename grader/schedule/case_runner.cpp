#include "schedule/case_runner.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "judge/host_decisions.hpp"
#include "judge/patterns.hpp"
#include "judge/producers.hpp"
#include "judge/useful_work.hpp"
#include "schedule/repeated_runs.hpp"
#include "schedule/run_diagnostics.hpp"

namespace grader {
namespace {

CaseOutcome failed(const std::string& case_name, Diagnostic reason) {
  CaseOutcome outcome;
  outcome.verdict = {case_name, Verdict::grader_fault, {std::move(reason)}};
  return outcome;
}

CaseOutcome failed(const std::string& case_name, const std::string& what) {
  return failed(case_name, grader_failure(what));
}

}  // namespace

const Task* CaseRunner::timed_task(const std::string& case_name) const {
  const auto task = std::find_if(lab_.tasks.begin(), lab_.tasks.end(), [&](const Task& one) {
    return one.speedup && one.speedup->case_on(runner_.options().device) == case_name;
  });
  return task == lab_.tasks.end() ? nullptr : &*task;
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

std::optional<BatchCase> CaseRunner::batch_case(const std::string& name) try {
  if (timed_task(name) != nullptr) return std::nullopt;
  const auto& prepared = cases_.prepare(name);
  if (!prepared) return std::nullopt;
  return BatchCase{prepared->job.entry, !prepared->job.earlier.empty()};
} catch (const std::exception&) {
  return std::nullopt;  // run() reports why
}

std::vector<CaseOutcome> CaseRunner::run_batch(const std::vector<std::string>& names, const Built& built,
                                               const SourceText& source) {
  try {
    std::vector<const PreparedCase*> cases;
    for (const std::string& name : names) {
      const auto& prepared = cases_.prepare(name);
      if (!prepared) break;
      cases.push_back(&*prepared);
    }
    return run_prepared_batch(cases, built, source);
  } catch (const std::exception&) {
    return {};
  }
}

std::vector<CaseOutcome> CaseRunner::run_prepared_batch(const std::vector<const PreparedCase*>& cases,
                                                        const Built& built, const SourceText& source) {
  std::vector<const harness::Job*> jobs;
  for (const PreparedCase* one : cases) jobs.push_back(&one->job);
  std::vector<CaseRun> runs = runner_.run_batch(built, jobs);
  std::vector<CaseOutcome> outcomes;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const PreparedCase& prepared = *cases[i];
    CaseOutcome outcome;
    outcome.run = std::move(runs[i]);
    outcome.verdict = judge(prepared, outcome.run, source);
    outcomes.push_back(std::move(outcome));
    if (outcomes.back().verdict.verdict != Verdict::accepted) break;
  }
  return outcomes;
}

CaseOutcome CaseRunner::run_prepared(const PreparedCase& prepared, const Built& built,
                                     const SourceText& source) {
  const bool is_virtual = runner_.options().device == DeviceKind::virtual_gpu;
  const Task* timed = timed_task(prepared.definition->name);
  return is_virtual         ? run_on_virtual(prepared, built, source)
         : timed != nullptr ? run_timed_on_cuda(prepared, *timed->speedup, built, source)
                            : run_on_cuda(prepared, built, source);
}

CaseOutcome CaseRunner::run_on_cuda(const PreparedCase& prepared, const Built& built,
                                    const SourceText& source) {
  CaseOutcome outcome;
  outcome.run = runner_.run(built, prepared.job, profile_of(prepared));
  outcome.verdict = judge(prepared, outcome.run, source);
  return outcome;
}

CaseOutcome CaseRunner::run_timed_on_cuda(const PreparedCase& prepared, const Speedup& wanted,
                                          const Built& built, const SourceText& source) {
  CaseOutcome outcome;
  if (const auto problem = timing_.run(prepared, wanted, profile_of(prepared), built, source, outcome))
    return failed(prepared.definition->name, *problem);
  if (outcome.verdict.verdict != Verdict::accepted) outcome.speed.reset();  // a wrong answer gets no speed
  return outcome;
}

CaseOutcome CaseRunner::run_on_virtual(const PreparedCase& prepared, const Built& built,
                                       const SourceText& source) {
  const vgpu::Profile profile = profile_of(prepared);
  RepeatedRuns runs(lab_, runner_, cases_, profile, prepared, built, source);
  CaseOutcome outcome;
  // A checked run has the same counters and the same modelled time as an unchecked one, so one run is enough.
  outcome.run = runs.run();
  runs.excuse_reads_of_old_outputs(outcome.run);
  outcome.verdict = judge(prepared, outcome.run, source);
  const auto is_accepted = [&] { return outcome.verdict.verdict == Verdict::accepted; };
  if (is_accepted() && profile.operations_before_failure > 0) runs.refuse_requests(outcome);
  // A run can be accepted without an answer (Job::may_fail); nothing more can be compared or counted then.
  if (outcome.run.end != CaseRun::End::finished) {
    runs.judge_without_earlier_calls(outcome);
    return outcome;
  }
  if (is_accepted() && host_can_follow_values(outcome.run, prepared.job))
    runs.compare_with_other_values(outcome);
  if (is_accepted()) runs.split_warps(outcome);
  if (is_accepted()) runs.change_order_of_blocks(outcome);
  const bool fails_alone = runs.judge_without_earlier_calls(outcome);
  if (outcome.verdict.verdict == Verdict::wrong_answer) runs.name_terms(fails_alone, outcome);
  if (is_accepted()) runs.rotate_inputs(outcome);
  if (is_accepted()) {
    if (const auto problem = count(prepared, runs, source, outcome))
      return failed(prepared.definition->name, *problem);
  }
  return outcome;
}

std::optional<std::string> CaseRunner::count(const PreparedCase& prepared, const RepeatedRuns& runs,
                                             const SourceText& source, CaseOutcome& outcome) {
  mark_useful_work(outcome.run, prepared.job);
  const vgpu::cudart::SessionReport& session = outcome.run.session;
  const Producers producers = producers_of(outcome.run, prepared.job);
  std::map<std::string, double> counters = named_counters(session, producers);
  if (auto problem = runs.add_changes(outcome.run, counters)) return problem;
  if (auto problem = add_counts(prepared, std::move(counters), outcome)) return problem;
  for (const Missed& one : missed(prepared, outcome))
    if (auto clue = find_clue(session, producers, one.counter, source, prepared.job))
      outcome.clues[one.check] = *std::move(clue);
  return std::nullopt;
}

CaseVerdict CaseRunner::judge(const PreparedCase& prepared, const CaseRun& run, const SourceText& source) {
  return judge_case(prepared.definition->name, prepared.job, run, cases_.expected(prepared), source,
                    prepared.workload->hypotheses(prepared.job));
}

std::optional<std::string> CaseRunner::add_counts(const PreparedCase& prepared,
                                                  std::map<std::string, double> counters,
                                                  CaseOutcome& outcome) {
  const bool is_call = prepared.workload->time_measure() == TimeMeasure::call;
  const double student_s = counters.at(is_call ? "call_s" : "device_s");
  outcome.counters = std::move(counters);
  add_ratios(outcome.counters, lab_.counters(), prepared.quantities, profile_of(prepared).clock_hz);
  if (timed_task(prepared.definition->name) == nullptr) return std::nullopt;
  const auto& baseline = baseline_.seconds(prepared, profile_of(prepared));
  if (!baseline) return baseline.error();
  outcome.speed = SpeedSamples{{*baseline}, {student_s}};
  return std::nullopt;
}

}  // namespace grader
