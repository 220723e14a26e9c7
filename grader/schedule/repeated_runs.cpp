#include "schedule/repeated_runs.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "judge/active_mask.hpp"
#include "judge/block_order.hpp"
#include "judge/computed_from.hpp"
#include "judge/earlier_calls.hpp"
#include "judge/host_decisions.hpp"
#include "judge/patterns.hpp"
#include "judge/unwritten_reads.hpp"
#include "lab/change_counters.hpp"

namespace grader {
namespace {

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

CaseVerdict RepeatedRuns::judge_again(const CaseRun& run) const {
  return judge_case(prepared_.definition->name, prepared_.job, run, cases_.expected(prepared_), source_, {});
}

void RepeatedRuns::excuse_reads_of_old_outputs(CaseRun& run) {
  if (!reads_old_outputs(run, prepared_.job)) return;
  const std::vector<Expectation>& expected = cases_.expected(prepared_);
  const auto is_right = [&](const CaseRun& one) { return has_right_outputs(prepared_.job, one, expected); };
  ignores_old_outputs_ =
      is_right(run) && std::all_of(kOldContents.begin(), kOldContents.end(), [&](std::uint32_t word) {
        return is_right(runner_.run(built_, prepared_.job, profile_, {}, {.forgotten = word}));
      });
  drop_excused_reads(run);
}

void RepeatedRuns::drop_excused_reads(CaseRun& run) const {
  if (ignores_old_outputs_) drop_reads_of_old_outputs(run, prepared_.job);
}

void RepeatedRuns::refuse_requests(CaseOutcome& outcome) const {
  using vgpu::Refused;
  vgpu::Profile profile = profile_;
  profile.operations_before_failure = 0;
  // If all are refused, the check of one request can hide that another is not checked.
  const CaseRun granting = runner_.run(built_, prepared_.job, profile, vgpu::Checks::all());
  struct Requests {
    Refused kind;
    std::uint64_t granted;
  };
  std::vector<Requests> all{{Refused::launches, 0},
                            {Refused::allocations, 0},
                            {Refused::host_allocations, 0},
                            {Refused::copies_to_host, 0}};
  for (const auto& [kind, count] : {std::pair(Refused::launches, granting.session.launches.size()),
                                    std::pair(Refused::allocations, granting.session.allocations)})
    if (count > 1) all.push_back({kind, count - 1});
  for (const auto& [kind, granted] : all) {
    profile.refused = kind;
    profile.granted = granted;
    CaseVerdict other = judge_again(runner_.run(built_, prepared_.job, profile, vgpu::Checks::all()));
    if (other.verdict == Verdict::accepted) continue;
    outcome.verdict = std::move(other);
    return;
  }
}

void RepeatedRuns::compare_with_other_values(CaseOutcome& outcome) const {
  const harness::Job other = with_other_values(lab_, *prepared_.definition, prepared_.job);
  const CaseRun run = runner_.run(built_, other, profile_, vgpu::Checks::all());
  auto problem = diagnose_host_decisions(outcome.run, run, prepared_.job);
  if (problem) {
    const CaseRun same = again({});
    exclude_unsteady_words(outcome.run, same, prepared_.job);
    problem = diagnose_host_decisions(outcome.run, run, prepared_.job);
  }
  if (!problem) return;
  const bool is_graders = run.end == CaseRun::End::grader_fault || run.end == CaseRun::End::stopped;
  outcome.verdict.verdict = is_graders ? Verdict::grader_fault : Verdict::rejected;
  outcome.verdict.diagnostics = {*std::move(problem)};
}

void RepeatedRuns::split_warps(CaseOutcome& outcome) const {
  auto warning = use_of_active_mask(outcome.run, source_);
  if (!warning) return;
  CaseRun run = again({.scaled = vgpu::Scaled::active_masks});
  drop_excused_reads(run);
  CaseVerdict split = judge_again(run);
  if (split.verdict == Verdict::accepted) return;
  if (split.verdict != Verdict::grader_fault) {
    split.verdict = Verdict::wrong_answer;
    split.diagnostics = {depends_on_active_mask(*std::move(warning))};
  }
  outcome.verdict = std::move(split);
}

void RepeatedRuns::change_order_of_blocks(CaseOutcome& outcome) const {
  if (!can_depend_on_order(outcome.run)) return;
  bool has_waited = has_waiting_blocks(outcome.run);
  for (const vgpu::Scaled order : {vgpu::Scaled::block_order, vgpu::Scaled::block_turns}) {
    CaseRun run = again({.scaled = order});
    if (has_waited || has_waiting_blocks(run)) {
      if (needs_all_blocks(outcome)) return;
      has_waited = false;  // decided
    }
    // Blocks that wait for those with lower numbers do not end in this order, which is no mistake.
    if (run.end != CaseRun::End::finished || run.session.launches.empty()) continue;
    drop_excused_reads(run);
    const std::vector<Expectation>& expected = cases_.expected(prepared_);
    CaseVerdict other = judge_again(run);
    if (other.verdict == Verdict::accepted || other.verdict == Verdict::grader_fault) continue;
    // What one block or warp sets and others use can come after them then: it has no value yet.
    const bool comes_later = !other.diagnostics.empty() && other.diagnostics.front().code == "WG-M07";
    if (comes_later || !has_right_outputs(prepared_.job, run, expected)) {
      other.verdict = Verdict::wrong_answer;
      other.diagnostics = {order == vgpu::Scaled::block_order ? depends_on_order(source_, run)
                                                              : depends_on_turns(source_, run)};
    }
    outcome.verdict = std::move(other);
    return;
  }
}

bool RepeatedRuns::needs_all_blocks(CaseOutcome& outcome) const {
  vgpu::Profile smallest = profile_;
  smallest.sm_count = smallest.max_blocks_per_sm = 1;
  for (const vgpu::Scaled order : {vgpu::Scaled::nothing, vgpu::Scaled::block_order}) {
    const CaseRun run = runner_.run(built_, prepared_.job, smallest, {}, {.scaled = order});
    if (!waits_in_vain(run)) continue;
    outcome.verdict = judge_again(run);
    for (Diagnostic& one : outcome.verdict.diagnostics) add_order_of_start(one, order);
    return true;
  }
  return false;
}

bool RepeatedRuns::judge_without_earlier_calls(CaseOutcome& outcome) const {
  const auto can_be_alone = [](Verdict verdict) {
    return verdict == Verdict::wrong_answer || verdict == Verdict::runtime_error;
  };
  CaseVerdict& verdict = outcome.verdict;
  if (prepared_.job.earlier.empty() || !can_be_alone(verdict.verdict) || verdict.diagnostics.empty())
    return false;
  const harness::Job job = alone(prepared_.job);
  CaseRun run = runner_.run(built_, job, profile_, vgpu::Checks::all());
  CaseVerdict other = judge_case(verdict.case_name, job, run, cases_.expected(prepared_), source_,
                                 prepared_.workload->hypotheses(job));
  if (!can_be_alone(other.verdict) || other.diagnostics.empty()) return false;
  const std::string &code = verdict.diagnostics.front().code, &other_code = other.diagnostics.front().code;
  const bool are_values = code.starts_with("WG-V") && other_code.starts_with("WG-V");
  if (code != other_code && !are_values) return false;
  outcome.verdict = std::move(other);
  outcome.run = std::move(run);
  return true;
}

void RepeatedRuns::rotate_inputs(CaseOutcome& outcome) const {
  if (prepared_.definition->rotations == 0) return;
  const std::vector<harness::Turn> turns = rotations_of(prepared_);
  const CaseRun run = runner_.run_in_turns(built_, prepared_.job, turns, profile_);
  const auto judge = [&](const harness::Job& job, const CaseRun& of_job) {
    return judge_case(outcome.verdict.case_name, job, of_job, prepared_.workload->expect(job), source_,
                      prepared_.workload->hypotheses(job));
  };
  for (std::size_t i = 0; i < std::min(turns.size(), run.turns.size()); ++i) {
    const harness::Job job = harness::rotated(prepared_.job, turns[i].rotation);
    if (are_right(run.turns[i].outputs, prepared_.workload->expect(job))) continue;
    outcome.run = runner_.run(built_, job, profile_, vgpu::Checks::all());
    outcome.verdict = judge(job, outcome.run);
    if (outcome.verdict.verdict == Verdict::accepted) {
      outcome.run = run;
      outcome.run.answer.outputs = run.turns[i].outputs;
      outcome.verdict = judge(job, outcome.run);
      for (Diagnostic& one : outcome.verdict.diagnostics) blame_call_before(one);
    } else if (outcome.verdict.verdict == Verdict::wrong_answer) {
      name_terms_of(job, outcome);
    }
    for (Diagnostic& one : outcome.verdict.diagnostics)
      one.first += fmt::format("; with the inputs rotated by {} elements", turns[i].rotation);
    return;
  }
  if (run.end != CaseRun::End::finished) outcome.verdict = judge(prepared_.job, run);
}

void RepeatedRuns::name_terms(bool is_alone, CaseOutcome& outcome) const {
  name_terms_of(is_alone ? alone(prepared_.job) : prepared_.job, outcome);
}

void RepeatedRuns::name_terms_of(const harness::Job& job, CaseOutcome& outcome) const {
  constexpr std::uint64_t kMostInstructions = std::uint64_t{1} << 19U;  // of warps; followed in a second
  auto& diagnostics = outcome.verdict.diagnostics;
  const auto is_of_values = [](const Diagnostic& one) { return one.code.starts_with("WG-V"); };
  if (std::none_of(diagnostics.begin(), diagnostics.end(), is_of_values)) return;
  if (outcome.run.session.total_counters.warp_instructions > kMostInstructions) return;
  const CaseRun run = runner_.run_with_terms(built_, job, profile_);
  grader::name_terms(diagnostics, job, run);
  std::vector<Diagnostic> guesses;
  for (Guess& one : outcome.verdict.guesses) guesses.push_back(std::move(one.diagnostic));
  grader::name_terms(guesses, job, run);
  for (std::size_t i = 0; i < guesses.size(); ++i)
    outcome.verdict.guesses[i].diagnostic = std::move(guesses[i]);
}

std::optional<std::string> RepeatedRuns::add_changes(const CaseRun& right,
                                                     std::map<std::string, double>& counters) const {
  for (const ChangeCounter& one : change_counters_of(lab_, prepared_.definition->name)) {
    double& change = counters[std::string(one.name)];  // 0 for a program that fails in both runs
    for (const vgpu::Scaled scaled : {one.scaled, one.scaled_below_1}) {
      const CaseRun run = runner_.run(built_, prepared_.job, profile_, {}, {.scaled = scaled});
      if (run.end == CaseRun::End::grader_fault) return "the run with scaled values: " + run.fault;
      if (run.end == CaseRun::End::stopped) return "the run with scaled values was interrupted";
      if (run.end != CaseRun::End::finished || !run.answer.problem.empty() || !run.forged.empty()) continue;
      change = one.measured(right.answer.outputs, run.answer.outputs);
      break;
    }
  }
  return std::nullopt;
}

}  // namespace grader
