#include "schedule/stored_facts.hpp"

#include <algorithm>
#include <cmath>

#include "lab/change_counters.hpp"
#include "lab/counter_names.hpp"

namespace grader {
namespace {

/// True if the check is for the case's values or its speed-up: both are named "task/case".
bool is_case(const Check& check, const std::string& case_name) {
  return check.id == check.task + "/" + case_name;
}

/// True if the check is an objective of the case: "task/counter@case".
bool is_objective(const Check& check, const std::string& case_name) {
  return check.id.ends_with("@" + case_name);
}

/// The counters of an accepted run, which are all stored, but for the counters of change that no objective
/// used. Ratios are left out, because they depend on the rubric.
std::optional<std::map<std::string, double>> counted(const std::map<std::string, double>& stored) {
  std::map<std::string, double> counters;
  for (const std::string& name : counter_names()) {
    const auto found = stored.find(name);
    if (found == stored.end() && find_change_counter(name) != nullptr) continue;
    if (found == stored.end() || !std::isfinite(found->second)) return std::nullopt;
    counters.insert(*found);
  }
  return counters;
}

void add_warnings(const Result& result, StoredCase& one) {
  const std::string& name = one.verdict.case_name;
  std::ptrdiff_t left = 0;  // checks of the case's values; their names do not differ from those of speed-ups
  for (const Check& check : result.score.checks) {
    if (!is_case(check, name) || check.status == CheckStatus::skip) continue;
    ++left;
    if (check.status == CheckStatus::pass && !check.diagnostics.empty())
      one.verdict.diagnostics = check.diagnostics;
  }
  left -= std::count_if(result.score.performance.begin(), result.score.performance.end(),
                        [&](const Performance& performance) { return performance.case_name == name; });
  one.has_warnings = left > 0;
}

}  // namespace

std::optional<StoredCase> stored_case(const Result& result, const std::string& case_name) {
  if (!result.provenance.inputs.contains(case_name)) return std::nullopt;
  StoredCase one;
  one.verdict.case_name = case_name;
  one.is_hung = result.provenance.hung_case == case_name;
  if (const auto counters = result.score.counters.find(case_name); counters != result.score.counters.end()) {
    auto known = counted(counters->second);
    if (!known) return std::nullopt;
    one.counters = *std::move(known);
    one.verdict.verdict = Verdict::accepted;
    add_warnings(result, one);
    return one;
  }
  for (const Check& check : result.score.checks) {
    if (!is_case(check, case_name) && !is_objective(check, case_name)) continue;
    if (check.status != CheckStatus::fail || !check.verdict || *check.verdict == Verdict::grader_fault)
      continue;
    one.verdict.verdict = *check.verdict;
    one.verdict.diagnostics = check.diagnostics;
    return one;
  }
  return std::nullopt;
}

bool keep_change_counters(const Lab& lab, StoredCase& one) {
  const auto used = change_counters_of(lab, one.verdict.case_name);
  for (const ChangeCounter& counter : change_counter_table()) {
    const bool is_used = std::any_of(used.begin(), used.end(),
                                     [&](const ChangeCounter& other) { return other.name == counter.name; });
    const auto stored = one.counters.find(std::string(counter.name));
    if (is_used && stored == one.counters.end()) return false;
    if (!is_used && stored != one.counters.end()) one.counters.erase(stored);
  }
  return true;
}

std::optional<Clue> stored_clue(const Result& result, const Missed& missed) {
  if (missed.counter.empty()) return Clue{};
  if (is_of_overlap(missed.counter)) return std::nullopt;
  for (const Check& check : result.score.checks) {
    if (check.id != missed.check || check.verdict != Verdict::too_slow || check.diagnostics.empty()) continue;
    const Diagnostic& problem = check.diagnostics.front();
    if (has_surplus(problem)) return std::nullopt;
    Clue clue{.where = problem.where, .source_line = problem.source_line, .counter = missed.counter};
    if (explains(missed.counter)) clue.likely_cause = problem.likely_cause;
    return clue;
  }
  return std::nullopt;
}

const Check* build_failure(const Result& result) {
  const auto& checks = result.score.checks;
  return !checks.empty() && checks.front().task.empty() && checks.front().verdict ? &checks.front() : nullptr;
}

bool same_facts(const Provenance& before, const Provenance& now) {
  const auto alike = [](Provenance how) {
    how.rubric_sha256.clear();
    how.source_sha256.clear();
    how.inputs.clear();
    how.hung_case.clear();
    how.attempts = 1;
    how.started.clear();
    how.finished.clear();
    return how;
  };
  return alike(before) == alike(now);
}

}  // namespace grader
