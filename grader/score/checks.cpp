#include "score/checks.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/figure.hpp"
#include "lab/change_counters.hpp"
#include "lab/counter_names.hpp"
#include "score/counter_advice.hpp"
#include "score/limits.hpp"
#include "score/missed_limit.hpp"
#include "score/speed.hpp"

namespace grader {
namespace {

Draft impossible(Check check, std::string reason) {
  check.skip_reason = std::move(reason);
  return {std::move(check), false, 0};
}

Draft passed(Check check) {
  check.status = CheckStatus::pass;
  check.verdict = Verdict::accepted;
  return {std::move(check), true, 1};
}

Check check_of(const Task& task, std::string id) {
  Check check;
  check.id = std::move(id);
  check.task = task.id;
  check.is_bonus = task.is_bonus;
  check.task_title = task.title;
  return check;
}

// ---- diagnostics

constexpr int kDigits = 6;  // significant digits of measured values

using CaseCounters = std::map<std::string, double>;

constexpr const char* kCoalesce = "let consecutive threadIdx.x access consecutive elements; then: ";

std::string of_counter(const ShownCounter& counter, double value) {
  return counter_figure(counter.counter, value, kDigits);
}

/// A time of kernels that is too long.
bool is_too_long(const MissedLimit& missed) {
  return missed.limited.counter.ends_with("kernel_s") && missed.limited.at_most &&
         missed.value > *missed.limited.at_most;
}

/// What limits a counter of speed, "useful_operations_per_clock", or makes a time too long; empty for other
/// counters.
std::string limit_of(const MissedLimit& missed, const CaseCounters& counters) {
  const std::string& counter = missed.limited.counter;
  if (counter.ends_with("_per_call_clock")) return limiting_part(counters, counters.at("call_s"));
  return is_of_speed(counter) || is_too_long(missed) ? limiting_part(counters, counters.at("device_s")) : "";
}

/// "the naive kernel has 4, the solution 0.25"
std::string examples(const MissedLimit& missed, const Objective& objective) {
  const ShownCounter& limited = missed.limited;
  if (missed.case_name == objective.case_name)
    return fmt::format("the naive kernel has {}, the solution {}", of_counter(limited, limited.naive),
                       of_counter(limited, limited.solution));
  const bool is_upper = limited.at_most && limited.naive > *limited.at_most;
  return fmt::format(
      "this objective is also checked at other sizes; there the naive kernel has at {} {}, the solution at "
      "{} {}",
      is_upper ? "least" : "most", of_counter(limited, limited.naive), is_upper ? "most" : "least",
      of_counter(limited, limited.solution));
}

/// Why a case misses the limit although the objective's own case meets it.
std::string cause_elsewhere(const MissedLimit& missed, const Objective& objective) {
  if (missed.case_name == objective.case_name) return "";
  if (is_of_overlap(missed.limited.counter))
    return fmt::format("{} meets its limit, {} does not: other sizes, or another device, show what waits",
                       objective.case_name, missed.case_name);
  return fmt::format(
      "{} meets its limit, so the program runs other code, or more of it, at the sizes of {}: what the "
      "kernel saves at one size it must save at every size",
      objective.case_name, missed.case_name);
}

/// "at least 2 and at most 8"
std::string limits_of(const ShownCounter& limited) {
  if (limited.at_least && limited.at_least == limited.at_most) return of_counter(limited, *limited.at_least);
  std::string limits;
  if (limited.at_least) limits = "at least " + of_counter(limited, *limited.at_least);
  if (limited.at_most)
    limits += (limits.empty() ? "at most " : " and at most ") + of_counter(limited, *limited.at_most);
  return limits;
}

/// What a missed related limit means: it keeps another way from taking the place of the one that the task
/// teaches.
void explain_related(Diagnostic& problem, const MissedLimit& missed, const Objective& objective,
                     const CaseCounters& counters) {
  const bool is_too_high = missed.limited.at_most && missed.value > *missed.limited.at_most;
  const CounterAdvice advice = counter_advice(missed.limited.counter, is_too_high, counters);
  const std::string held = fmt::format("{} counts only together with this limit; the taught way needs {}",
                                       counter_words(objective.counter), is_too_high ? "less" : "more");
  if (problem.likely_cause.empty())
    problem.likely_cause = advice.cause.empty() ? held : fmt::format("{} ({})", advice.cause, held);
  if (problem.next_step.empty()) problem.next_step = advice.next_step;
}

/// Whether a warp's access has more bytes than 32 elements of 4 bytes; `counter` counts requested bytes.
bool has_wide_elements(const std::string& counter, const CaseCounters& counters) {
  constexpr double kBytesOfWarp = 128, kLeast = 1.2;
  const std::string access = counter.substr(0, counter.find("_requested_bytes_per_"));
  const auto bytes = counters.find(access + "_requested_bytes"),
             requests = counters.find(access + "_requests");
  return bytes != counters.end() && requests != counters.end() &&
         bytes->second > kLeast * kBytesOfWarp * requests->second;
}

/// Twice the solution's bytes per element or per operation, as of elements of 8 bytes instead of 4.
bool looks_like_doubles(const MissedLimit& missed, const CaseCounters& counters) {
  constexpr double kTwice = 2, kTolerance = 0.05;
  const ShownCounter& limited = missed.limited;
  const bool is_too_high = limited.at_most && missed.value > *limited.at_most;
  const bool is_naive = std::abs(missed.value / limited.naive - 1) < kTolerance;
  return is_too_high && !is_naive && limited.counter.find("_requested_bytes_per_") != std::string::npos &&
         std::abs(missed.value / limited.solution - kTwice) < kTolerance &&
         has_wide_elements(limited.counter, counters);
}

void explain_doubles(Diagnostic& problem) {
  problem.likely_cause =
      "the program requests twice the bytes of the solution: its elements have 8 bytes (double, long long) "
      "where the task counts on 4 (float, int)";
  problem.next_step = "use elements of 4 bytes; then: " + problem.next_step;
}

Diagnostic missed_objective(const MissedLimit& missed, const Objective& objective,
                            const CaseCounters& counters) {
  const ShownCounter& limited = missed.limited;
  Diagnostic problem;
  problem.code = "WG-P01";
  problem.what = fmt::format("{}{} is {} when it should be {} ({})", counter_words(limited.counter),
                             missed.atomics > 0 ? " with atomics" : "", of_counter(limited, missed.value),
                             limits_of(limited), missed.case_name);
  problem.first = examples(missed, objective);
  if (missed.atomics > 0)
    problem.first += fmt::format(
        "; atomic operations account for {}: they count too, because they can do the work of loads and "
        "stores",
        of_counter(limited, missed.atomics));
  problem.likely_cause = cause_elsewhere(missed, objective);
  if (const ChangeCounter* change = find_change_counter(limited.counter)) {
    problem.likely_cause = change->cause;
    problem.next_step = "compute the results from these values";
  }
  if (problem.likely_cause.empty()) problem.likely_cause = limit_of(missed, counters);
  if (limited.counter != objective.counter) explain_related(problem, missed, objective, counters);
  const bool has_reason =
      limited.counter != objective.counter || find_change_counter(limited.counter) != nullptr;
  if (objective.is_required && !has_reason) problem.likely_cause.clear();  // see add_requirement()
  if (problem.next_step.empty()) problem.next_step = objective.hint;
  if (limited.counter == objective.counter && is_too_long(missed) && is_uncoalesced(counters))
    problem.next_step = kCoalesce + problem.next_step;
  if (looks_like_doubles(missed, counters)) explain_doubles(problem);
  return problem;
}

/// What a required objective means, after the reason why it is missed, if that is known.
void add_requirement(Diagnostic& problem) {
  problem.likely_cause += (problem.likely_cause.empty() ? std::string() : "; ") +
                          "the function does not work in the way that the task asks for: if this objective "
                          "is missed, the task has "
                          "no points, even if all values are right";
}

Diagnostic slow(const Performance& performance, const Speedup& speedup, const Evidence& evidence) {
  Diagnostic problem;
  problem.code = "WG-P02";
  problem.what =
      fmt::format("{:.2f} times as fast as the {} kernel when it should be {:.2f} ({})", performance.speedup,
                  speedup.over, performance.threshold.full, performance.case_name);
  problem.first = fmt::format("{:.3g} s against {:.3g} s; half of the points from {:.2f} on",
                              performance.student_s, performance.baseline_s, performance.threshold.half);
  if (performance.interval)
    problem.first += fmt::format("; 95 % interval {:.2f} to {:.2f}", performance.interval->first,
                                 performance.interval->second);
  // Counters explain modelled times, not measured ones.
  const auto counters = evidence.counters.find(performance.case_name);
  problem.next_step = speedup.hint;
  if (evidence.devices != Devices::virtual_gpu || counters == evidence.counters.end()) return problem;
  problem.likely_cause = limiting_part(counters->second, performance.student_s);
  if (is_uncoalesced(counters->second)) problem.next_step = kCoalesce + problem.next_step;
  return problem;
}

Diagnostic unusable_time(const std::string& case_name) {
  Diagnostic problem;
  problem.code = "WG-P03";
  problem.what =
      fmt::format("the time of {} cannot be used: it is missing or not a positive number", case_name);
  problem.likely_cause = "the program was timed fewer times than requested, or nothing ran on the device";
  problem.next_step = "launch the kernel in every call and leave the timing to the harness";
  return problem;
}

/// The diagnostic with what the run shows about the reason.
Diagnostic with_clue(Diagnostic problem, const std::string& clue_id, const Evidence& evidence) {
  const auto clue = evidence.clues.find(clue_id);
  if (clue != evidence.clues.end()) add_clue(problem, clue->second);
  return problem;
}

// ---- checks

/// A skipped or failed draft if the case was not run or not accepted; nullopt if it was accepted.
std::optional<Draft> unless_right(const Check& check, const std::string& case_name,
                                  const Evidence& evidence) {
  const auto verdict = evidence.verdicts.find(case_name);
  if (verdict == evidence.verdicts.end()) return skipped(check, "not run");
  if (verdict->second.verdict == Verdict::accepted) return std::nullopt;
  return failed(check, verdict->second.verdict, verdict->second.diagnostics);
}

/// Those of `available` that can run the case; nullopt: none.
std::optional<Devices> devices_for(const Case& one, Devices available) {
  if (!one.only_on) return available;
  return includes(available, *one.only_on) ? std::optional(devices_of(*one.only_on)) : std::nullopt;
}

/// With both devices, each of `devices` must have run the case.
bool have_run(const std::string& name, Devices devices, const Evidence& evidence) {
  if (evidence.devices != Devices::both) return true;
  const auto ran_on = evidence.ran_on.find(name);
  return ran_on != evidence.ran_on.end() && (ran_on->second == devices || ran_on->second == Devices::both);
}

Draft draft_case(const Lab& lab, const Task& task, const std::string& name, const Evidence& evidence) {
  Check check = check_of(task, task.id + "/" + name);
  const auto devices = devices_for(*lab.find_case(name), evidence.devices);
  if (!devices) return impossible(check, "the case runs on another device");
  if (evidence.devices == Devices::both) check.devices = devices;
  if (!have_run(name, *devices, evidence)) return skipped(check, "not run");
  if (auto draft = unless_right(check, name, evidence)) return *std::move(draft);
  Draft draft = passed(check);
  draft.check.diagnostics = evidence.verdicts.at(name).diagnostics;
  return draft;
}

/// A program that ends in every case, or is wrong in all others, has not earned the points of a case that may
/// fail.
void hold_failures_to_results(const Lab& lab, const Task& task, std::vector<Draft>& drafts) {
  std::size_t right = 0, wrong = 0;
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    if (lab.find_case(task.cases[i])->may_fail) continue;
    right += drafts[i].check.status == CheckStatus::pass ? 1U : 0U;
    wrong += drafts[i].check.status == CheckStatus::fail ? 1U : 0U;
  }
  if (right > 0 || wrong == 0) return;
  for (std::size_t i = 0; i < drafts.size(); ++i)
    if (lab.find_case(task.cases[i])->may_fail && drafts[i].check.status == CheckStatus::pass)
      drafts[i] = skipped(check_of(task, drafts[i].check.id), "counts only if another case passes");
}

Draft draft_objective(const Task& task, const Objective& objective, const Evidence& evidence) {
  Check check = check_of(task, objective_id(task, objective));
  if (evidence.devices == Devices::cuda) return impossible(check, "counters exist on the virtual GPU only");
  if (evidence.devices == Devices::both) check.devices = Devices::virtual_gpu;
  if (auto draft = unless_right(check, objective.case_name, evidence)) return *std::move(draft);
  const auto counters = evidence.counters.find(objective.case_name);
  if (counters == evidence.counters.end() || !counters->second.contains(objective.counter))
    return skipped(check, "not counted");
  const auto missed = missed_limit(objective, evidence.counters);
  if (!missed) return passed(check);
  Diagnostic problem =
      with_clue(missed_objective(*missed, objective, evidence.counters.at(missed->case_name)),
                clue_id(task, objective, missed->case_name), evidence);
  if (objective.is_required) add_requirement(problem);
  return failed(check, Verdict::too_slow, {std::move(problem)});
}

/// Missing times of the baseline are the grader's fault; missing times of the submission are its own.
Verdict unusable_time_verdict(const SpeedSamples& samples) {
  const auto is_time = [](double s) { return std::isfinite(s) && s > 0; };
  const auto& baseline = samples.baseline_s;
  const bool baseline_is_fine = !baseline.empty() && std::all_of(baseline.begin(), baseline.end(), is_time);
  return baseline_is_fine ? Verdict::runtime_error : Verdict::grader_fault;
}

Draft draft_speedup(const Task& task, const Evidence& evidence) {
  const std::string& case_name = task.speedup->case_on(timing_device(evidence.devices));
  Check check = check_of(task, speedup_id(task, case_name));
  if (evidence.devices == Devices::both) {
    // Memory, races and barriers are checked at the virtual GPU's size.
    check.devices = Devices::virtual_gpu;
    if (auto draft = unless_right(check, task.speedup->virtual_case, evidence)) return *std::move(draft);
    check.devices = Devices::cuda;
  }
  if (auto draft = unless_right(check, case_name, evidence)) return *std::move(draft);
  const auto performance = measured_speedup(task, evidence);
  if (!performance) return skipped(check, "not timed");
  if (performance->verdict == SpeedVerdict::invalid)
    return failed(check, unusable_time_verdict(evidence.speed.at(case_name)), {unusable_time(case_name)});
  const double fraction = speed_fraction(credited_speedup(*performance), performance->threshold);
  if (fraction == 1) return passed(check);
  return failed(check, Verdict::too_slow,
                {with_clue(slow(*performance, *task.speedup, evidence), check.id, evidence)}, fraction);
}

/// Fails an objective because another objective of its task is missed.
void fail_with(Draft& objective, const Draft& other, const std::string& reason) {
  Diagnostic problem = other.check.diagnostics.front();
  problem.what += "; " + reason;
  objective = failed(std::move(objective.check), Verdict::too_slow, {std::move(problem)});
}

/// Useless work can meet the limit on a ratio to the program's own work, but makes totals worse. So such a
/// ratio counts only if the totals of its case, in the task, meet their limits. `objectives` are the drafts
/// of the task's objectives.
void hold_ratios_to_totals(const Task& task, std::span<Draft> objectives) {
  for (std::size_t i = 0; i < objectives.size(); ++i) {
    const Objective& ratio = task.objectives[i];
    if (!is_dilutable(ratio.counter) || objectives[i].check.status != CheckStatus::pass) continue;
    for (std::size_t j = 0; j < objectives.size(); ++j) {
      const Objective& total = task.objectives[j];
      if (total.case_name != ratio.case_name || !total.limits_total()) continue;
      if (objectives[j].check.status != CheckStatus::fail) continue;
      fail_with(objectives[i], objectives[j],
                fmt::format("{} counts only together with it", counter_words(ratio.counter)));
      break;
    }
  }
}

/// Right results in another way than the one that the task asks for earn nothing.
void hold_to_required(const Task& task, const Evidence& evidence, std::vector<Draft>& drafts) {
  for (std::size_t i = 0; i < task.objectives.size(); ++i) {
    const Objective& objective = task.objectives[i];
    const bool is_limit = drafts[task.cases.size() + i].check.verdict == Verdict::too_slow;
    if (!objective.is_required || !is_limit || !missed_limit(objective, evidence.counters)) continue;
    for (Draft& draft : drafts)
      if (draft.fraction > 0)
        draft = skipped(without_result(draft.check),
                        "counts only together with " + counter_words(objective.counter));
    return;
  }
}

/// A program that saves work only at the sizes of the objectives earns nothing for it: if another case misses
/// a limit on work or launches, the task's objectives for the same function fail. `objectives` as above.
void hold_to_other_sizes(const Lab& lab, const Task& task, const Evidence& evidence,
                         std::span<Draft> objectives) {
  const auto entry = [&](std::size_t i) { return lab.find_case(task.objectives[i].case_name)->entry; };
  for (std::size_t i = 0; i < objectives.size(); ++i) {
    const Objective& sized = task.objectives[i];
    if (objectives[i].check.status != CheckStatus::fail || !grows_with_work(sized.counter)) continue;
    const auto missed = missed_limit(sized, evidence.counters);
    if (!missed || missed->case_name == sized.case_name) continue;
    const Draft failed_one = objectives[i];
    for (std::size_t j = 0; j < objectives.size(); ++j)
      if (entry(j) == entry(i) && objectives[j].check.status == CheckStatus::pass)
        fail_with(objectives[j], failed_one, "the task's other objectives count only together with it");
  }
}

}  // namespace

std::string objective_id(const Task& task, const Objective& objective) {
  return task.id + "/" + objective.counter + "@" + objective.case_name;
}

std::string clue_id(const Task& task, const Objective& objective, const std::string& case_name) {
  const std::string id = objective_id(task, objective);
  return case_name == objective.case_name ? id : id + "/" + case_name;
}

std::string speedup_id(const Task& task, const std::string& case_name) { return task.id + "/" + case_name; }

Check without_result(const Check& check) {
  Check bare;
  bare.id = check.id;
  bare.task = check.task;
  bare.is_bonus = check.is_bonus;
  bare.task_title = check.task_title;
  bare.visibility = check.visibility;
  bare.devices = check.devices;
  return bare;
}

Draft skipped(Check check, std::string reason) {
  check.skip_reason = std::move(reason);
  return {std::move(check), true, 0};
}

Draft failed(Check check, Verdict verdict, std::vector<Diagnostic> diagnostics, double fraction) {
  check.status = CheckStatus::fail;
  check.verdict = verdict;
  check.diagnostics = std::move(diagnostics);
  return {std::move(check), true, fraction};
}

std::vector<Draft> draft_checks(const Lab& lab, const Task& task, const Evidence& evidence) {
  std::vector<Draft> drafts;
  const auto add = [&](Draft draft, const std::string& case_name) {
    draft.check.visibility = lab.find_case(case_name)->visibility;
    drafts.push_back(std::move(draft));
  };
  for (const std::string& name : task.cases) add(draft_case(lab, task, name, evidence), name);
  hold_failures_to_results(lab, task, drafts);
  for (const Objective& objective : task.objectives)
    add(draft_objective(task, objective, evidence), objective.case_name);
  const auto objectives = std::span(drafts).subspan(task.cases.size());
  hold_ratios_to_totals(task, objectives);
  hold_to_other_sizes(lab, task, evidence, objectives);
  if (task.speedup) {
    Draft draft = draft_speedup(task, evidence);
    const bool is_virtual = draft.check.devices == Devices::virtual_gpu;  // its message is about that case
    const DeviceKind device = is_virtual ? DeviceKind::virtual_gpu : timing_device(evidence.devices);
    add(std::move(draft), task.speedup->case_on(device));
  }
  hold_to_required(task, evidence, drafts);
  return drafts;
}

std::optional<Performance> measured_speedup(const Task& task, const Evidence& evidence) {
  if (!task.speedup) return std::nullopt;
  const DeviceKind device = timing_device(evidence.devices);
  const std::string& case_name = task.speedup->case_on(device);
  const auto verdict = evidence.verdicts.find(case_name);
  const auto samples = evidence.speed.find(case_name);
  if (verdict == evidence.verdicts.end() || verdict->second.verdict != Verdict::accepted) return std::nullopt;
  if (samples == evidence.speed.end()) return std::nullopt;
  return measure_speedup(case_name, samples->second, task.speedup->threshold_on(device));
}

}  // namespace grader
