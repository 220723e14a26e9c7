#include "schedule/cuda_timing.hpp"

#include <algorithm>
#include <future>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/files.hpp"
#include "base/sha256.hpp"
#include "base/statistics.hpp"
#include "judge/physical_floor.hpp"
#include "schedule/run_diagnostics.hpp"

namespace grader {
namespace {

// A measurement is repeated if it was disturbed by more than one fifth, which quiet machines do not reach, or
// if a threshold is within its interval, or if a function of the host would lose points while other work uses
// the host. Before the first one of a case, another process of the baseline shows its pace: a baseline that
// was slow for its whole life would make any submission look fast. A quick attempt that is clear makes these
// attempts unnecessary.
constexpr std::size_t kAttempts = 4;

constexpr std::size_t kMaxProgramBytes = std::size_t{64} << 20U;

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

}  // namespace

void CudaTiming::learn_pace(const PreparedCase& prepared, const vgpu::Profile& profile) {
  const auto& baseline = baseline_.built();
  const std::string& name = prepared.definition->name;
  const std::lock_guard lock(pace_.learning(name));
  if (!baseline || pace_.fastest_s(name)) return;
  const auto kept = cache_ != nullptr ? cache_->seconds(pace_key(prepared, *baseline)) : std::nullopt;
  kept ? pace_.assume(name, *kept) : measure_pace(prepared, profile, *baseline);
}

std::optional<Diagnostic> CudaTiming::run(const PreparedCase& prepared, const Speedup& wanted,
                                          const vgpu::Profile& profile, const Built& built,
                                          const SourceText& source, CaseOutcome& outcome) {
  const auto& baseline = baseline_.built();
  if (!baseline) return grader_failure(baseline.error());
  const std::string& name = prepared.definition->name;
  std::vector<SpeedSamples> attempts;
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
  learn_pace(prepared, profile);
  for (std::size_t i = 0; i <= kAttempts; ++i) {
    const Effort effort = i == 0 ? Effort::quick : Effort::thorough;
    const Host host = uses_host && i > 0 ? Host::quiet : Host::as_it_is;
    if (host == Host::quiet && i == 1) attempts.clear();  // that one had another host
    auto once = measure(prepared, profile, *baseline, built, source, effort, host, outcome);
    if (!once) return grader_failure(once.error());
    if (outcome.verdict.verdict != Verdict::accepted) return std::nullopt;
    const std::string why = once->gpu ? why_disturbed(*once->gpu) : "";
    if (!why.empty()) {
      disturbed = why;
      continue;
    }
    if (pace_.contradicts(name, median(once->baseline_s))) {
      const std::lock_guard lock(pace_.learning(name));
      measure_pace(prepared, profile, *baseline);
    }
    pace_.add(name, median(once->baseline_s));
    if (effort == Effort::quick && !is_clear(*once, wanted.on_cuda)) continue;
    attempts.push_back(*std::move(once));
    if (is_enough(attempts.back(), host)) break;
  }
  if (attempts.empty()) return disturbed_measurement(name, kAttempts, disturbed);
  return take_calmest(prepared, profile, *baseline, attempts, outcome);
}

Expected<SpeedSamples, std::string> CudaTiming::measure(const PreparedCase& prepared,
                                                        const vgpu::Profile& profile, const Built& baseline,
                                                        const Built& built, const SourceText& source,
                                                        Effort effort, Host host, CaseOutcome& outcome) {
  const std::string& name = prepared.definition->name;
  const TurnPlan plan = draw_turns(cases_.shown_rotation(prepared), pace_.fastest_s(name), effort);
  auto [naive, student] = runner_.run_interleaved(baseline, built, prepared.job, plan.turns,
                                                  plan.turns_of_baseline, profile, host);
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

std::optional<Diagnostic> CudaTiming::take_calmest(const PreparedCase& prepared, const vgpu::Profile& profile,
                                                   const Built& baseline, std::span<SpeedSamples> attempts,
                                                   CaseOutcome& outcome) {
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
    measure_pace(prepared, profile, baseline);
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

void CudaTiming::measure_pace(const PreparedCase& prepared, const vgpu::Profile& profile,
                              const Built& baseline) {
  const TurnPlan plan = draw_few_turns();
  const CaseRun run = runner_.run_timed(baseline, prepared.job, plan.turns, profile);
  if (!failure_of(run).empty() || (run.gpu && !why_disturbed(*run.gpu).empty())) return;
  double fastest_s = std::numeric_limits<double>::infinity();
  for (const TimedCall& call : timed_calls(run.turns, plan.warm_ups))
    fastest_s = std::min(fastest_s, call.device_s);
  pace_.add(prepared.definition->name, fastest_s);
  if (cache_ != nullptr) cache_->keep_seconds(pace_key(prepared, baseline), fastest_s);
}

std::string CudaTiming::pace_key(const PreparedCase& prepared, const Built& baseline) const {
  const auto program = read_file(baseline.shared_object(), kMaxProgramBytes);
  const CudaDevice gpu = runner_.cuda_device().value();
  return fmt::format("pace {} {} {} {} {}", gpu.name, granted_uuid(gpu.gpu), prepared.job.entry,
                     prepared.inputs_sha256, program ? sha256_hex(*program) : "");
}

}  // namespace grader
