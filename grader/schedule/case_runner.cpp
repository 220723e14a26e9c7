#include "schedule/case_runner.hpp"

#include <algorithm>
#include <exception>
#include <future>
#include <limits>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/files.hpp"
#include "base/sha256.hpp"
#include "base/statistics.hpp"
#include "judge/active_mask.hpp"
#include "judge/block_order.hpp"
#include "judge/computed_from.hpp"
#include "judge/earlier_calls.hpp"
#include "judge/host_decisions.hpp"
#include "judge/patterns.hpp"
#include "judge/physical_floor.hpp"
#include "judge/producers.hpp"
#include "judge/unwritten_reads.hpp"
#include "judge/useful_work.hpp"
#include "lab/change_counters.hpp"
#include "schedule/run_diagnostics.hpp"
#include "schedule/timed_turns.hpp"

namespace grader {
namespace {

// A measurement is repeated if it was disturbed by more than one fifth, which quiet machines do not reach, or
// if a threshold is within its interval, or if a function of the host would lose points while other work uses
// the host. Before the first one of a case, another process of the baseline shows its pace: a baseline that
// was slow for its whole life would make any submission look fast. A quick attempt that is clear makes these
// attempts unnecessary.
constexpr std::size_t kAttempts = 4;

constexpr std::size_t kMaxProgramBytes = std::size_t{64} << 20U;

CaseOutcome failed(const std::string& case_name, Diagnostic reason) {
  CaseOutcome outcome;
  outcome.verdict = {case_name, Verdict::grader_fault, {std::move(reason)}};
  return outcome;
}

CaseOutcome failed(const std::string& case_name, const std::string& what) {
  return failed(case_name, grader_failure(what));
}

/// The run as if the outputs of its shown turn were those of the last one; without the other outputs, which
/// are large.
CaseRun with_shown_outputs(CaseRun& run, std::span<const harness::Turn> turns) {
  std::vector<Array> last = std::exchange(run.answer.outputs, {});
  const std::size_t turn = shown_turn(turns);
  std::vector<Array> shown = turn < run.turns.size() ? std::exchange(run.turns[turn].outputs, {}) : last;
  CaseRun other = run;
  other.answer.outputs = std::move(shown);
  run.answer.outputs = std::move(last);
  return other;
}

/// The element that matters comes to every lane, and to warps and blocks over the whole input: the step is
/// close to a part of the input, odd, and no multiple of 3.
std::vector<harness::Turn> rotations_of(const PreparedCase& prepared) {
  std::uint64_t elements = 1;
  for (const harness::Input& one : prepared.job.inputs)
    elements = std::max<std::uint64_t>(elements, one.values.size());
  const std::uint64_t count = std::min<std::uint64_t>(prepared.definition->rotations, elements);
  std::uint64_t step = elements / count | 1U;
  if (step % 3 == 0) step += 2;
  std::vector<harness::Turn> turns;
  for (std::uint64_t i = 1; i <= count; ++i)
    turns.push_back({.rotation = i * step % elements, .shown = true});
  return turns;
}

bool are_right(const std::vector<Array>& outputs, const std::vector<Expectation>& expected) {
  if (outputs.size() != expected.size()) return false;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (outputs[i].values.size() != expected[i].values.size() ||
        !wrong_elements({outputs[i], expected[i], {}}).empty())
      return false;
  return true;
}

/// The checked call without the calls before it.
harness::Job alone(harness::Job job) {
  job.earlier.clear();
  return job;
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
    outcome.verdict =
        judge_case(prepared.definition->name, prepared.job, outcome.run, cases_.expected(prepared), source,
                   prepared.workload->hypotheses(prepared.job));
    outcomes.push_back(std::move(outcome));
    if (outcomes.back().verdict.verdict != Verdict::accepted) break;
  }
  return outcomes;
}

CaseOutcome CaseRunner::run_prepared(const PreparedCase& prepared, const Built& built,
                                     const SourceText& source) {
  const std::string& name = prepared.definition->name;
  const bool is_virtual = runner_.options().device == DeviceKind::virtual_gpu;
  CaseOutcome outcome;
  if (!is_virtual && timed_task(name) != nullptr) {
    if (const auto problem = run_timed_on_cuda(prepared, built, source, outcome))
      return failed(name, *problem);
  } else {
    // A checked run has the same counters and the same modelled time as an unchecked one, so one run is
    // enough.
    outcome.run = runner_.run(built, prepared.job, profile_of(prepared), vgpu::Checks::all());
    const bool is_independent = is_virtual && is_independent_of_old_outputs(prepared, built, outcome.run);
    if (is_independent) drop_reads_of_old_outputs(outcome.run, prepared.job);
    outcome.verdict = judge_case(name, prepared.job, outcome.run, cases_.expected(prepared), source,
                                 prepared.workload->hypotheses(prepared.job));
    if (is_virtual && outcome.verdict.verdict == Verdict::accepted &&
        profile_of(prepared).operations_before_failure > 0)
      refuse_launches(prepared, built, source, outcome);
    // A run can be accepted without an answer (Job::may_fail); nothing more can be compared or counted then.
    if (outcome.run.end != CaseRun::End::finished) {
      if (is_virtual) judge_without_earlier_calls(prepared, built, source, outcome);
      return outcome;
    }
    if (outcome.verdict.verdict == Verdict::accepted && host_can_follow_values(outcome.run, prepared.job))
      compare_with_other_values(prepared, built, outcome);
    if (outcome.verdict.verdict == Verdict::accepted)
      split_warps(prepared, built, source, is_independent, outcome);
    if (is_virtual && outcome.verdict.verdict == Verdict::accepted)
      change_order_of_blocks(prepared, built, source, is_independent, outcome);
    const bool fails_alone = is_virtual && judge_without_earlier_calls(prepared, built, source, outcome);
    if (is_virtual && outcome.verdict.verdict == Verdict::wrong_answer)
      name_terms_of(prepared, fails_alone ? alone(prepared.job) : prepared.job, built, outcome);
    if (is_virtual && outcome.verdict.verdict == Verdict::accepted)
      rotate_inputs(prepared, built, source, outcome);
  }
  const bool accepted = outcome.verdict.verdict == Verdict::accepted;
  if (is_virtual && accepted) {
    mark_useful_work(outcome.run, prepared.job);
    const vgpu::cudart::SessionReport& session = outcome.run.session;
    const Producers producers = producers_of(outcome.run, prepared.job);
    std::map<std::string, double> counters = named_counters(session, producers);
    if (const auto problem = add_changes(prepared, built, outcome.run, counters))
      return failed(name, *problem);
    if (const auto problem = add_counts(prepared, std::move(counters), outcome))
      return failed(name, *problem);
    for (const Missed& one : missed(prepared, outcome))
      if (auto clue = find_clue(session, producers, one.counter, source, prepared.job))
        outcome.clues[one.check] = *std::move(clue);
  }
  if (!accepted) outcome.speed.reset();  // a wrong answer gets no speed
  return outcome;
}

void CaseRunner::refuse_launches(const PreparedCase& prepared, const Built& built, const SourceText& source,
                                 CaseOutcome& outcome) {
  vgpu::Profile profile = profile_of(prepared);
  profile.operations_before_failure = 0;
  profile.refuses_launches = true;
  const CaseRun run = runner_.run(built, prepared.job, profile, vgpu::Checks::all());
  CaseVerdict other =
      judge_case(outcome.verdict.case_name, prepared.job, run, cases_.expected(prepared), source, {});
  if (other.verdict != Verdict::accepted) outcome.verdict = std::move(other);
}

void CaseRunner::compare_with_other_values(const PreparedCase& prepared, const Built& built,
                                           CaseOutcome& outcome) {
  const harness::Job other = with_other_values(lab_, *prepared.definition, prepared.job);
  const CaseRun run = runner_.run(built, other, profile_of(prepared), vgpu::Checks::all());
  auto problem = diagnose_host_decisions(outcome.run, run, prepared.job);
  if (problem) {
    const CaseRun again = runner_.run(built, prepared.job, profile_of(prepared), vgpu::Checks::all());
    exclude_unsteady_words(outcome.run, again, prepared.job);
    problem = diagnose_host_decisions(outcome.run, run, prepared.job);
  }
  if (!problem) return;
  const bool is_graders = run.end == CaseRun::End::grader_fault || run.end == CaseRun::End::stopped;
  outcome.verdict.verdict = is_graders ? Verdict::grader_fault : Verdict::rejected;
  outcome.verdict.diagnostics = {*std::move(problem)};
}

bool CaseRunner::is_independent_of_old_outputs(const PreparedCase& prepared, const Built& built,
                                               const CaseRun& run) {
  if (!reads_old_outputs(run, prepared.job)) return false;
  const std::vector<Expectation>& expected = cases_.expected(prepared);
  const auto is_right = [&](const CaseRun& one) { return has_right_outputs(prepared.job, one, expected); };
  return is_right(run) && std::all_of(kOldContents.begin(), kOldContents.end(), [&](std::uint32_t word) {
           return is_right(runner_.run(built, prepared.job, profile_of(prepared), {}, {.forgotten = word}));
         });
}

void CaseRunner::split_warps(const PreparedCase& prepared, const Built& built, const SourceText& source,
                             bool is_independent, CaseOutcome& outcome) {
  auto warning = use_of_active_mask(outcome.run, source);
  if (!warning) return;
  CaseRun run = runner_.run(built, prepared.job, profile_of(prepared), vgpu::Checks::all(),
                            {.scaled = vgpu::Scaled::active_masks});
  if (is_independent) drop_reads_of_old_outputs(run, prepared.job);
  CaseVerdict split =
      judge_case(outcome.verdict.case_name, prepared.job, run, cases_.expected(prepared), source, {});
  if (split.verdict == Verdict::accepted) return;
  if (split.verdict != Verdict::grader_fault) {
    split.verdict = Verdict::wrong_answer;
    split.diagnostics = {depends_on_active_mask(*std::move(warning))};
  }
  outcome.verdict = std::move(split);
}

void CaseRunner::change_order_of_blocks(const PreparedCase& prepared, const Built& built,
                                        const SourceText& source, bool is_independent, CaseOutcome& outcome) {
  if (!can_depend_on_order(outcome.run)) return;
  bool has_waited = has_waiting_blocks(outcome.run);
  for (const vgpu::Scaled order : {vgpu::Scaled::block_order, vgpu::Scaled::block_turns}) {
    CaseRun run =
        runner_.run(built, prepared.job, profile_of(prepared), vgpu::Checks::all(), {.scaled = order});
    if (has_waited || has_waiting_blocks(run)) {
      if (needs_all_blocks(prepared, built, source, outcome)) return;
      has_waited = false;  // decided
    }
    // Blocks that wait for those with lower numbers do not end in this order, which is no mistake.
    if (run.end != CaseRun::End::finished || run.session.launches.empty()) continue;
    if (is_independent) drop_reads_of_old_outputs(run, prepared.job);
    const std::vector<Expectation>& expected = cases_.expected(prepared);
    CaseVerdict other = judge_case(outcome.verdict.case_name, prepared.job, run, expected, source, {});
    if (other.verdict == Verdict::accepted || other.verdict == Verdict::grader_fault) continue;
    // What one block or warp sets and others use can come after them then: it has no value yet.
    const bool comes_later = !other.diagnostics.empty() && other.diagnostics.front().code == "WG-M07";
    if (comes_later || !has_right_outputs(prepared.job, run, expected)) {
      other.verdict = Verdict::wrong_answer;
      other.diagnostics = {order == vgpu::Scaled::block_order ? depends_on_order(source, run)
                                                              : depends_on_turns(source, run)};
    }
    outcome.verdict = std::move(other);
    return;
  }
}

bool CaseRunner::needs_all_blocks(const PreparedCase& prepared, const Built& built, const SourceText& source,
                                  CaseOutcome& outcome) {
  vgpu::Profile smallest = profile_of(prepared);
  smallest.sm_count = smallest.max_blocks_per_sm = 1;
  for (const vgpu::Scaled order : {vgpu::Scaled::nothing, vgpu::Scaled::block_order}) {
    const CaseRun run = runner_.run(built, prepared.job, smallest, {}, {.scaled = order});
    if (!waits_in_vain(run)) continue;
    outcome.verdict =
        judge_case(outcome.verdict.case_name, prepared.job, run, cases_.expected(prepared), source, {});
    for (Diagnostic& one : outcome.verdict.diagnostics) add_order_of_start(one, order);
    return true;
  }
  return false;
}

bool CaseRunner::judge_without_earlier_calls(const PreparedCase& prepared, const Built& built,
                                             const SourceText& source, CaseOutcome& outcome) {
  const auto can_be_alone = [](Verdict verdict) {
    return verdict == Verdict::wrong_answer || verdict == Verdict::runtime_error;
  };
  CaseVerdict& verdict = outcome.verdict;
  if (prepared.job.earlier.empty() || !can_be_alone(verdict.verdict) || verdict.diagnostics.empty())
    return false;
  const harness::Job job = alone(prepared.job);
  CaseRun run = runner_.run(built, job, profile_of(prepared), vgpu::Checks::all());
  CaseVerdict other = judge_case(verdict.case_name, job, run, cases_.expected(prepared), source,
                                 prepared.workload->hypotheses(job));
  if (!can_be_alone(other.verdict) || other.diagnostics.empty()) return false;
  const std::string &code = verdict.diagnostics.front().code, &other_code = other.diagnostics.front().code;
  const bool are_values = code.starts_with("WG-V") && other_code.starts_with("WG-V");
  if (code != other_code && !are_values) return false;
  outcome.verdict = std::move(other);
  outcome.run = std::move(run);
  return true;
}

void CaseRunner::rotate_inputs(const PreparedCase& prepared, const Built& built, const SourceText& source,
                               CaseOutcome& outcome) {
  if (prepared.definition->rotations == 0) return;
  const std::vector<harness::Turn> turns = rotations_of(prepared);
  const CaseRun run = runner_.run_in_turns(built, prepared.job, turns, profile_of(prepared));
  const auto judge = [&](const harness::Job& job, const CaseRun& of_job) {
    return judge_case(outcome.verdict.case_name, job, of_job, prepared.workload->expect(job), source,
                      prepared.workload->hypotheses(job));
  };
  for (std::size_t i = 0; i < std::min(turns.size(), run.turns.size()); ++i) {
    const harness::Job job = harness::rotated(prepared.job, turns[i].rotation);
    if (are_right(run.turns[i].outputs, prepared.workload->expect(job))) continue;
    outcome.run = runner_.run(built, job, profile_of(prepared), vgpu::Checks::all());
    outcome.verdict = judge(job, outcome.run);
    if (outcome.verdict.verdict == Verdict::accepted) {
      outcome.run = run;
      outcome.run.answer.outputs = run.turns[i].outputs;
      outcome.verdict = judge(job, outcome.run);
      for (Diagnostic& one : outcome.verdict.diagnostics) blame_call_before(one);
    } else if (outcome.verdict.verdict == Verdict::wrong_answer) {
      name_terms_of(prepared, job, built, outcome);
    }
    for (Diagnostic& one : outcome.verdict.diagnostics)
      one.first += fmt::format("; with the inputs rotated by {} elements", turns[i].rotation);
    return;
  }
  if (run.end != CaseRun::End::finished) outcome.verdict = judge(prepared.job, run);
}

void CaseRunner::name_terms_of(const PreparedCase& prepared, const harness::Job& job, const Built& built,
                               CaseOutcome& outcome) const {
  constexpr std::uint64_t kMostInstructions = std::uint64_t{1} << 19U;  // of warps; followed in a second
  auto& diagnostics = outcome.verdict.diagnostics;
  const auto is_of_values = [](const Diagnostic& one) { return one.code.starts_with("WG-V"); };
  if (std::none_of(diagnostics.begin(), diagnostics.end(), is_of_values)) return;
  if (outcome.run.session.total_counters.warp_instructions > kMostInstructions) return;
  const CaseRun run = runner_.run_with_terms(built, job, profile_of(prepared));
  name_terms(diagnostics, job, run);
  std::vector<Diagnostic> guesses;
  for (Guess& one : outcome.verdict.guesses) guesses.push_back(std::move(one.diagnostic));
  name_terms(guesses, job, run);
  for (std::size_t i = 0; i < guesses.size(); ++i)
    outcome.verdict.guesses[i].diagnostic = std::move(guesses[i]);
}

std::optional<std::string> CaseRunner::add_changes(const PreparedCase& prepared, const Built& built,
                                                   const CaseRun& right,
                                                   std::map<std::string, double>& counters) {
  for (const ChangeCounter& one : change_counters_of(lab_, prepared.definition->name)) {
    double& change = counters[std::string(one.name)];  // 0 for a program that fails in both runs
    for (const vgpu::Scaled scaled : {one.scaled, one.scaled_below_1}) {
      const CaseRun run = runner_.run(built, prepared.job, profile_of(prepared), {}, {.scaled = scaled});
      if (run.end == CaseRun::End::grader_fault) return "the run with scaled values: " + run.fault;
      if (run.end == CaseRun::End::stopped) return "the run with scaled values was interrupted";
      if (run.end != CaseRun::End::finished || !run.answer.problem.empty() || !run.forged.empty()) continue;
      change = one.measured(right.answer.outputs, run.answer.outputs);
      break;
    }
  }
  return std::nullopt;
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

std::optional<Diagnostic> CaseRunner::run_timed_on_cuda(const PreparedCase& prepared, const Built& built,
                                                        const SourceText& source, CaseOutcome& outcome) {
  const auto& baseline = baseline_.built();
  if (!baseline) return grader_failure(baseline.error());
  const std::string& name = prepared.definition->name;
  std::vector<SpeedSamples> attempts;
  const Speedup& wanted = *timed_task(name)->speedup;
  const bool uses_host = prepared.workload->time_measure() == TimeMeasure::call;
  const auto is_enough = [&](const SpeedSamples& last, Host host) {
    const Performance found = measure_speedup(name, last, wanted.on_cuda);
    const bool may_cost_points = speed_fraction(credited_speedup(found), wanted.on_cuda) < 1;
    const auto pace_s = pace_.fastest_s(name);  // another thread can be measuring it again
    return pace_s && pace_.is_known(name) && found.verdict != SpeedVerdict::too_close &&
           disturbance(last, *pace_s) <= kCalmPace &&
           !(uses_host && may_cost_points && host == Host::as_it_is);
  };
  std::string disturbed;
  learn_pace(prepared);
  for (std::size_t i = 0; i <= kAttempts; ++i) {
    const Effort effort = i == 0 ? Effort::quick : Effort::thorough;
    const Host host = uses_host && i > 0 ? Host::quiet : Host::as_it_is;
    if (host == Host::quiet && i == 1) attempts.clear();  // that one had another host
    auto once = time_on_cuda(prepared, *baseline, built, source, effort, host, outcome);
    if (!once) return grader_failure(once.error());
    if (outcome.verdict.verdict != Verdict::accepted) return std::nullopt;
    const std::string why = once->gpu ? why_disturbed(*once->gpu) : "";
    if (!why.empty()) {
      disturbed = why;
      continue;
    }
    if (pace_.contradicts(name, median(once->baseline_s))) {
      const std::lock_guard lock(pace_.learning(name));
      measure_pace(prepared, *baseline);
    }
    pace_.add(name, median(once->baseline_s));
    if (effort == Effort::quick && !is_clear(*once, wanted.on_cuda)) continue;
    attempts.push_back(*std::move(once));
    if (is_enough(attempts.back(), host)) break;
  }
  if (attempts.empty()) return disturbed_measurement(name, kAttempts, disturbed);
  return take_calmest(prepared, *baseline, attempts, outcome);
}

std::optional<Diagnostic> CaseRunner::take_calmest(const PreparedCase& prepared, const Built& baseline,
                                                   std::span<SpeedSamples> attempts, CaseOutcome& outcome) {
  const std::string& name = prepared.definition->name;
  // Unknown while another thread measures it again: then the attempts are compared with each other.
  const auto pace_s = [&] { return pace_.fastest_s(name).value_or(median(attempts.front().baseline_s)); };
  const auto slowness = [&](const SpeedSamples& one) { return median(one.baseline_s) / pace_s(); };
  const auto calmest = std::min_element(attempts.begin(), attempts.end(), [&](const auto& a, const auto& b) {
    return disturbance(a, pace_s()) < disturbance(b, pace_s());
  });
  if (slowness(*calmest) > kCalmPace) {
    const std::lock_guard lock(pace_.learning(name));
    pace_.forget(name);  // one fast process can have set it
    measure_pace(prepared, baseline);
  }
  if (const double times = slowness(*calmest); times > kCalmPace)
    return disturbed_measurement(
        name, attempts.size(),
        fmt::format("the baseline was {:.1f} times as slow as without the submission", times));
  outcome.speed = std::move(*calmest);
  const double least_s =
      least_seconds(runner_.cuda_device()->peak, prepared.job, prepared.workload->operations(prepared.job));
  if (auto problem = impossible_time(name, median(outcome.speed->student_s), least_s))
    outcome.verdict = {name, Verdict::rejected, {*std::move(problem)}};
  return std::nullopt;
}

void CaseRunner::learn_pace(const PreparedCase& prepared) {
  const auto& baseline = baseline_.built();
  const std::string& name = prepared.definition->name;
  const std::lock_guard lock(pace_.learning(name));
  if (!baseline || pace_.fastest_s(name)) return;
  const auto kept = cache_ != nullptr ? cache_->seconds(pace_key(prepared, *baseline)) : std::nullopt;
  kept ? pace_.assume(name, *kept) : measure_pace(prepared, *baseline);
}

void CaseRunner::measure_pace(const PreparedCase& prepared, const Built& baseline) {
  const TurnPlan plan = draw_few_turns();
  const CaseRun run = runner_.run_timed(baseline, prepared.job, plan.turns, profile_of(prepared));
  if (!failure_of(run).empty() || (run.gpu && !why_disturbed(*run.gpu).empty())) return;
  double fastest_s = std::numeric_limits<double>::infinity();
  for (const TimedCall& call : timed_calls(run.turns, plan.warm_ups))
    fastest_s = std::min(fastest_s, call.device_s);
  pace_.add(prepared.definition->name, fastest_s);
  if (cache_ != nullptr) cache_->keep_seconds(pace_key(prepared, baseline), fastest_s);
}

std::string CaseRunner::pace_key(const PreparedCase& prepared, const Built& baseline) const {
  const auto program = read_file(baseline.shared_object(), kMaxProgramBytes);
  const CudaDevice gpu = runner_.cuda_device().value();
  return fmt::format("pace {} {} {} {} {}", gpu.name, granted_uuid(gpu.gpu), prepared.job.entry,
                     prepared.inputs_sha256, program ? sha256_hex(*program) : "");
}

Expected<SpeedSamples, std::string> CaseRunner::time_on_cuda(const PreparedCase& prepared,
                                                             const Built& baseline, const Built& built,
                                                             const SourceText& source, Effort effort,
                                                             Host host, CaseOutcome& outcome) {
  const std::string& name = prepared.definition->name;
  const TurnPlan plan = draw_turns(cases_.shown_rotation(prepared), pace_.fastest_s(name), effort);
  auto [naive, student] = runner_.run_interleaved(baseline, built, prepared.job, plan.turns,
                                                  plan.turns_of_baseline, profile_of(prepared), host);
  outcome.run = std::move(student);
  const ShownInputs& inputs = cases_.shown(prepared);
  // A program that failed, or whose answer is wrong, has no speed. The last call has the same inputs as the
  // shown call.
  const auto judged = [&](const CaseRun& run) {
    return judge_case(name, inputs.job, run, inputs.expected, source,
                      prepared.workload->hypotheses(inputs.job));
  };
  auto of_shown = std::async(std::launch::async, judged, with_shown_outputs(outcome.run, plan.turns));
  outcome.verdict = judged(outcome.run);
  CaseVerdict shown = of_shown.get();
  if (outcome.verdict.verdict != Verdict::accepted) return SpeedSamples{};
  if (const std::string why = failure_of(naive); !why.empty())
    return Unexpected{"the baseline on " + name + ": " + why};
  if (shown.verdict != Verdict::accepted) {
    outcome.verdict = std::move(shown);
    return SpeedSamples{};
  }
  SpeedSamples samples =
      samples_of(timed_calls(naive.turns, plan.warm_ups), timed_calls(outcome.run.turns, plan.warm_ups));
  samples.gpu = outcome.run.gpu;
  return samples;
}

}  // namespace grader
