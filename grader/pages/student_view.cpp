#include "pages/student_view.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "export/shown.hpp"

namespace grader::pages {
namespace {

bool is_hidden(const Check& check) { return check.visibility != Visibility::visible; }

/// One check with the points of all hidden ones.
Check folded(const std::vector<Check>& checks) {
  Check sum;
  sum.status = CheckStatus::pass;
  std::size_t count = 0;
  for (const Check& check : checks) {
    if (!is_hidden(check)) continue;
    ++count;
    sum.points += check.points;
    sum.max_points += check.max_points;
    if (check.status != CheckStatus::pass) sum.status = CheckStatus::fail;
  }
  sum.id = fmt::format("hidden checks ({})", count);
  return sum;
}

void fold_hidden_checks(Score& score) {
  std::set<std::string> hidden, visible;  // cases
  for (const Check& check : score.checks) (is_hidden(check) ? hidden : visible).insert(case_of(check));
  if (std::none_of(score.checks.begin(), score.checks.end(), is_hidden)) return;
  const Check sum = folded(score.checks);
  std::erase_if(score.checks, is_hidden);
  score.checks.push_back(sum);
  const auto only_hidden = [&](const std::string& name) {
    return hidden.contains(name) && !visible.contains(name);
  };
  std::erase_if(score.performance, [&](const Performance& one) { return only_hidden(one.case_name); });
  std::erase_if(score.counters, [&](const auto& one) { return only_hidden(one.first); });
}

void remove_secret_values(Result& result) {
  for (Check& check : result.score.checks)
    for (Diagnostic& diagnostic : check.diagnostics)
      if (quotes_secret_value(result, check, diagnostic)) diagnostic.first.clear();
}

bool has_secrets(const Result& result) {
  const auto& checks = result.score.checks;
  return !result.provenance.seed_file.empty() || std::any_of(checks.begin(), checks.end(), is_hidden);
}

}  // namespace

ReportInput student_view(ReportInput input) {
  for (GradedSubmission& one : input.all.submissions) {
    one.identity = {};
    for (Result& result : one.results) {
      if (has_secrets(result)) input.pictures.erase({one.file_name, result.lab});
      remove_secret_values(result);  // before hidden checks lose their cases
      fold_hidden_checks(result.score);
    }
  }
  for (auto& [submission, hand_in] : input.all.summary.hand_ins) {
    hand_in.people.clear();
    hand_in.same_bytes.clear();
    hand_in.notes.clear();
  }
  if (input.course) input.course->grades.warnings.clear();
  input.similar.reset();
  input.changes.reset();
  return input;
}

}  // namespace grader::pages
