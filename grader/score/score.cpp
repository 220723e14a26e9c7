#include "score/score.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "score/checks.hpp"

namespace grader {
namespace {

/// What a task means for the tasks that need it.
struct Standing {
  double share = 0;         ///< earned part of its points
  bool is_pending = false;  ///< none of its checks failed, but some were not run
};

double to_cents(double points) { return std::round(points * 100) / 100; }

bool is_pending(const std::vector<Draft>& drafts) {
  const auto failed = [](const Draft& draft) { return draft.check.status == CheckStatus::fail; };
  const auto open = [](const Draft& draft) {
    return draft.is_possible && draft.check.status == CheckStatus::skip;
  };
  return std::any_of(drafts.begin(), drafts.end(), open) &&
         std::none_of(drafts.begin(), drafts.end(), failed);
}

class Scorer {
 public:
  Scorer(const Lab& lab, const Evidence& evidence) : lab_(lab), evidence_(evidence) {}

  Score run() {
    result_.counters = evidence_.counters;
    result_.inexact = evidence_.inexact;
    if (!is_built()) add_build();
    for (const Task& task : lab_.tasks) add_task(task);
    add_up();
    set_verdict();
    return std::move(result_);
  }

  /// What the task is worth at most, and why; share 1 if nothing limits it. The tasks that it needs were
  /// scored.
  Cap cap_of(const Task& task) const {
    Cap cap{1, ""};
    for (const std::string& need : task.needs)
      if (const double share = counted_share(need); share < cap.share) cap = {share, need};
    return cap;
  }

 private:
  bool is_built() const { return !evidence_.build_verdict && evidence_.build_diagnostics.empty(); }

  void add_build() {
    Check check;
    check.id = "build";
    const Verdict verdict = evidence_.build_verdict.value_or(Verdict::compile_error);
    result_.checks.push_back(failed(std::move(check), verdict, evidence_.build_diagnostics).check);
  }

  double counted_share(const std::string& need) const {
    const double share = standings_.at(need).share;
    return lab_.gates == Gates::all && share < 1 ? 0 : share;
  }

  /// Why the task does not count; empty if it counts.
  std::string blocked_by(const Task& task) const {
    if (!is_built()) return "needs: build";
    std::vector<std::string> missing;
    for (const std::string& need : task.needs)
      if (counted_share(need) == 0 && !standings_.at(need).is_pending) missing.push_back(need);
    return missing.empty() ? "" : fmt::format("needs: {}", fmt::join(missing, ", "));
  }

  void add_task(const Task& task) {
    const std::string blocked = blocked_by(task);
    std::vector<Draft> drafts = draft_checks(lab_, task, evidence_);
    if (!blocked.empty()) block(drafts, blocked);
    const double share = share_points(task, cap_of(task), drafts);
    standings_[task.id] = {share, blocked.empty() && is_pending(drafts)};
    for (Draft& draft : drafts) result_.checks.push_back(std::move(draft.check));
    auto performance = measured_speedup(task, evidence_);
    if (performance && blocked.empty()) result_.performance.push_back(*std::move(performance));
  }

  static void block(std::vector<Draft>& drafts, const std::string& reason) {
    for (Draft& draft : drafts)
      if (draft.is_possible) draft = skipped(without_result(draft.check), reason);
  }

  /// Returns the earned share of the task's points. A task without checks that the device can perform passes
  /// its cap on.
  static double share_points(const Task& task, const Cap& cap, std::vector<Draft>& drafts) {
    const auto possible = static_cast<double>(
        std::count_if(drafts.begin(), drafts.end(), [](const Draft& draft) { return draft.is_possible; }));
    double fractions = 0;
    for (Draft& draft : drafts) {
      fractions += draft.fraction;
      if (draft.is_possible) draft.check.max_points = task.points / possible;
      draft.check.points = draft.fraction * cap.share * draft.check.max_points;
      if (draft.fraction > 0 && cap.share < 1) draft.check.cap = cap;
    }
    return possible > 0 ? fractions / possible * cap.share : cap.share;
  }

  void add_up() {
    for (const Check& check : result_.checks) {
      result_.score += check.points;
      if (!check.is_bonus) result_.max_score += check.max_points;
    }
    // Parts such as a third of a point have rounding errors.
    result_.score = to_cents(result_.score);
    result_.max_score = to_cents(result_.max_score);
  }

  void set_verdict() {
    const auto is_fault = [](const Check& check) { return check.verdict == Verdict::grader_fault; };
    const auto is_bad = [](const Check& check) {
      const bool is_free = check.is_bonus && check.verdict != Verdict::rejected;  // may be left undone
      return check.verdict && check.verdict != Verdict::accepted && !is_free;
    };
    const auto& checks = result_.checks;
    auto decisive = std::find_if(checks.begin(), checks.end(), is_fault);
    if (decisive == checks.end()) decisive = std::find_if(checks.begin(), checks.end(), is_bad);
    if (decisive == checks.end()) return;
    result_.verdict = *decisive->verdict;
    if (result_.verdict == Verdict::grader_fault) result_.status = ResultStatus::grader_fault;
    if (result_.verdict == Verdict::rejected) result_.status = ResultStatus::rejected;
  }

  const Lab& lab_;
  const Evidence& evidence_;
  std::map<std::string, Standing> standings_;  // by task
  Score result_;
};

}  // namespace

Score score(const Lab& lab, const Evidence& evidence) { return Scorer(lab, evidence).run(); }

BonusPoints bonus_of(const Score& score) {
  BonusPoints bonus;
  for (const Check& check : score.checks) {
    if (!check.is_bonus) continue;
    bonus.points += check.points;
    bonus.max_points += check.max_points;
  }
  return {to_cents(bonus.points), to_cents(bonus.max_points)};
}

bool is_complete(const Score& score) {
  return score.status == ResultStatus::graded && score.score >= score.max_score;
}

bool has_all_points(const Score& score) {
  return score.status == ResultStatus::graded && score.score >= score.max_score + bonus_of(score).max_points;
}

std::vector<std::string> cases_of(const Lab& lab, const Task& task, DeviceKind device) {
  std::vector<std::string> names = task.cases;
  if (device == DeviceKind::virtual_gpu)
    for (const Objective& objective : task.objectives) names.push_back(objective.case_name);
  if (task.speedup) names.push_back(task.speedup->case_on(device));
  std::erase_if(names, [&](const std::string& name) { return !lab.find_case(name)->runs_on(device); });
  return names;
}

std::vector<std::string> next_cases(const Lab& lab, const Evidence& evidence) {
  return next_cases(lab, evidence, evidence);
}

std::vector<std::string> next_cases(const Lab& lab, const Evidence& merged, const Evidence& own) {
  if (merged.build_verdict || !merged.build_diagnostics.empty()) return {};
  Scorer scorer(lab, merged);
  scorer.run();
  std::vector<std::string> next;
  for (const Task& task : lab.tasks) {
    if (scorer.cap_of(task).share == 0) continue;
    for (const std::string& name : cases_of(lab, task, timing_device(own.devices))) {
      const bool is_listed = std::find(next.begin(), next.end(), name) != next.end();
      if (!is_listed && !own.verdicts.contains(name)) next.push_back(name);
    }
  }
  return next;
}

}  // namespace grader
