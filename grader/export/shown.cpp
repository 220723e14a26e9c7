#include "export/shown.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/check_text.hpp"
#include "report/numbers.hpp"
#include "report/questions_text.hpp"
#include "report/receipt_text.hpp"
#include "report/terminal.hpp"
#include "score/check_words.hpp"

namespace grader {
namespace {

constexpr std::size_t kMaxDiagnostics = 3;   // one mistake often causes all others
constexpr std::size_t kMaxLineBytes = 2000;  // so that a program's output cannot make a file too large

double to_cents(double points) { return std::round(points * 100) / 100; }

std::string line(const std::string& text) {
  std::string safe = printable(text);
  if (safe.size() <= kMaxLineBytes) return safe;
  return cut(safe.substr(0, kMaxLineBytes), kMaxLineBytes / 4, Terminal{}) + "…";
}

/// "tiled_matmul.cu:42: P[row * n + col] = sum;"
std::string place(const Diagnostic& diagnostic) {
  std::string text = fmt::format("{}:{}", diagnostic.where->file, diagnostic.where->line);
  const std::size_t start = diagnostic.source_line.find_first_not_of(" \t");
  return start == std::string::npos ? text : text + ": " + diagnostic.source_line.substr(start);
}

/// Of one result: the check that shows a mistake in full, and the other checks with that mistake. Checks that
/// another system shows at different times do not name each other.
class Mistakes {
 public:
  explicit Mistakes(const Score& score) : score_(score) {}

  /// nullptr: `check` itself.
  const Check* shown_in(const Check& check, const Diagnostic& diagnostic) const {
    for (const Check& other : score_.checks) {
      if (&other == &check) return nullptr;
      if (has(other, check.visibility, diagnostic)) return &other;
    }
    return nullptr;
  }

  /// "17x33x65, one and 3 more": the checks after `check`; empty if there are none.
  std::string elsewhere(const Check& check, const Diagnostic& diagnostic) const {
    constexpr std::size_t kNamed = 4;
    std::vector<std::string> names;
    for (const Check& other : score_.checks)
      if (&other != &check && has(other, check.visibility, diagnostic))
        names.push_back(other.task == check.task ? words_in_task(other) : check_words(other));
    const std::size_t more = names.size() - std::min(names.size(), kNamed);
    names.resize(names.size() - more);
    return fmt::format("{}", fmt::join(names, ", ")) + (more > 0 ? fmt::format(" and {} more", more) : "");
  }

 private:
  static bool has(const Check& check, Visibility visibility, const Diagnostic& diagnostic) {
    const auto first = check.diagnostics.begin();
    const auto end = first + static_cast<std::ptrdiff_t>(std::min(check.diagnostics.size(), kMaxDiagnostics));
    return check.visibility == visibility &&
           std::any_of(first, end, [&](const Diagnostic& one) { return is_same_mistake(one, diagnostic); });
  }

  const Score& score_;
};

/// In full in the first check with the mistake; in the others, what is particular to them.
void add_lines(std::vector<std::string>& lines, const Result& result, const Check& check,
               const Diagnostic& diagnostic) {
  const auto add = [&](const std::string& label, const std::string& text) {
    if (!text.empty()) lines.push_back(line(label + text));
  };
  const Mistakes mistakes(result.score);
  const Check* shown_in = mistakes.shown_in(check, diagnostic);
  add(diagnostic.code + ": ", diagnostic.what);
  if (shown_in == nullptr && diagnostic.where && diagnostic.where->line > 0) add("at ", place(diagnostic));
  if (!quotes_secret_value(result, check, diagnostic)) add("first seen: ", diagnostic.first);
  if (shown_in != nullptr) return add("the same mistake as in: ", check_words(*shown_in));
  add("likely cause: ", diagnostic.likely_cause);
  add("try: ", diagnostic.next_step);
  add("the same mistake in: ", mistakes.elsewhere(check, diagnostic));
}

/// True if the inputs came from a seed file.
bool has_secret_inputs(const Result& result, const Check& check) {
  const auto input = result.provenance.inputs.find(case_of(check));
  return input != result.provenance.inputs.end() && !input->second.seed;
}

/// The command with which the student runs the failed case alone; empty if the student lacks its inputs.
std::string again(const Result& result, const Check& check) {
  const bool is_own = check.visibility == Visibility::visible && !has_secret_inputs(result, check);
  if (check.status != CheckStatus::fail || !is_own || check.id.find('/') == std::string::npos) return {};
  return line(fmt::format("run it again: warpgrade check {} --case {}", result.lab, check.id));
}

/// Of a check with both devices: which device its points come from.
std::string device_line(Devices devices) {
  if (devices == Devices::both) return "checked on the virtual GPU and on the real GPU";
  return devices == Devices::cuda ? "measured on the real GPU" : "checked on the virtual GPU";
}

/// Rounds to 0.01 so that the points add up to the rounded sum. A check with full points keeps them.
void round_together(std::vector<ShownCheck>& checks) {
  const auto is_full = [](const ShownCheck& one) { return one.points == one.max_points; };
  double points = 0, max_points = 0;
  const auto round = [](double& value, double& sum) {
    const double before = to_cents(sum);
    sum += value;
    value = to_cents(to_cents(sum) - before);
  };
  for (const bool full : {true, false})
    for (ShownCheck& one : checks) {
      if (is_full(one) != full) continue;
      round(one.points, points);
      round(one.max_points, max_points);
    }
}

/// Its points are not rounded.
ShownCheck shown(const Result& result, const Check& check, const std::string& prefix) {
  ShownCheck one;
  one.name = line(prefix + check_words(check));
  one.status = check.status;
  one.points = check.points;
  one.max_points = check.max_points;
  one.visibility = check.visibility;
  if (check.status == CheckStatus::skip) one.summary = line("not run: " + check.skip_reason);
  if (check.cap) one.summary = line(cap_text(*check.cap));
  if (!check.diagnostics.empty()) {
    const Diagnostic& first = check.diagnostics.front();
    if (check.status == CheckStatus::fail) one.summary = line(first.code + ": " + first.what);
    if (first.where) {
      one.file = line(first.where->file);
      one.line = first.where->line;
    }
  }
  for (std::size_t i = 0; i < std::min(check.diagnostics.size(), kMaxDiagnostics); ++i)
    add_lines(one.lines, result, check, check.diagnostics[i]);
  if (std::string command = again(result, check); !command.empty() && !one.lines.empty())
    one.lines.push_back(std::move(command));
  if (check.cap && !one.lines.empty()) one.lines.push_back(line(cap_text(*check.cap)));
  if (one.lines.empty() && !one.summary.empty()) one.lines.push_back(one.summary);
  if (check.devices) one.lines.push_back(device_line(*check.devices));
  return one;
}

/// The rules of the course as one more check, whose points are the change. It passes: no rule is a test that
/// a submission can fail. It is hidden if a check of the lab is, because it would reveal the lab's total.
ShownCheck shown(const Result& result, const Adjustment& adjustment, const std::string& prefix) {
  ShownCheck one;
  one.name = line(prefix + "rules of the course");
  one.status = CheckStatus::pass;
  one.points = to_cents(adjustment.points);
  one.max_points = to_cents(adjustment.max_points);
  for (const std::string& reason : adjustment.reasons) one.lines.push_back(line(reason));
  if (!one.lines.empty()) one.summary = one.lines.front();
  for (const Check& check : result.score.checks)
    if (check.visibility != Visibility::visible) one.visibility = check.visibility;
  return one;
}

/// nullptr: the course gives none.
const QuestionPoints* question_points(const Adjustment* rules) {
  return rules != nullptr && rules->questions ? &*rules->questions : nullptr;
}

PointsByRules points_by(const Adjustment* rules) {
  if (rules == nullptr) return {};
  PointsByRules sum{rules->points, rules->max_points};
  if (rules->questions) {
    sum.points += rules->questions->points;
    sum.max_points += rules->questions->max_points;
  }
  return sum;
}

/// The answers to the lab's questions as one more check; nullopt if there is nothing to show.
std::optional<ShownCheck> shown_questions(const Result& result, const QuestionPoints* points,
                                          const std::string& prefix) {
  if (!result.questions && points == nullptr) return std::nullopt;
  ShownCheck one;
  one.name = line(prefix + "questions");
  one.is_information = points == nullptr;
  one.status = CheckStatus::pass;
  if (points != nullptr) {
    one.points = to_cents(points->points);
    one.max_points = to_cents(points->max_points);
    if (one.points < one.max_points) one.status = CheckStatus::fail;
  }
  one.summary = line(points != nullptr ? points->reason : tally_text(*result.questions));
  one.lines.push_back(one.summary);
  if (result.questions && !result.questions->is_refused())
    for (const GradedAnswer& answer : result.questions->answers)
      one.lines.push_back(line(fmt::format("{}: {}", answer.id, to_string(answer.status))));
  return one;
}

/// True if the device cannot make the check, which then has 0 of 0 points.
bool is_impossible(const Check& check) { return check.status == CheckStatus::skip && check.max_points == 0; }

void fold_hidden(std::vector<ShownCheck>& checks) {
  const auto is_hidden = [](const ShownCheck& check) { return check.visibility != Visibility::visible; };
  ShownCheck folded;
  std::size_t count = 0;
  bool all_passed = true;
  for (const ShownCheck& check : checks) {
    if (!is_hidden(check)) continue;
    ++count;
    folded.points += check.points;
    folded.max_points += check.max_points;
    all_passed = all_passed && check.status == CheckStatus::pass;
  }
  if (count == 0) return;
  std::erase_if(checks, is_hidden);
  folded.name = fmt::format("hidden checks ({})", count);
  folded.status = all_passed ? CheckStatus::pass : CheckStatus::fail;
  folded.points = to_cents(folded.points);
  folded.max_points = to_cents(folded.max_points);
  checks.push_back(std::move(folded));
}

}  // namespace

std::string case_of(const Check& check) {
  return check.id.substr(std::max(check.id.rfind('@') + 1, check.id.find('/') + 1));  // npos + 1 is 0
}

bool quotes_secret_value(const Result& result, const Check& check, const Diagnostic& diagnostic) {
  return has_secret_inputs(result, check) && diagnostic.code.starts_with("WG-V");
}

std::vector<ShownCheck> shown_checks(const ClassResults& all, const GradedSubmission& one, Hidden hidden) {
  std::vector<ShownCheck> checks;
  for (const Result& result : one.results) {
    const std::string prefix = all.summary.labs.size() > 1 ? result.lab + ": " : "";
    std::vector<ShownCheck> of_lab;
    for (const Check& check : result.score.checks)
      if (!is_impossible(check)) of_lab.push_back(shown(result, check, prefix));
    round_together(of_lab);
    std::move(of_lab.begin(), of_lab.end(), std::back_inserter(checks));
    const auto found = one.adjustments.find(result.lab);
    const Adjustment* rules = found == one.adjustments.end() ? nullptr : &found->second;
    if (auto questions = shown_questions(result, question_points(rules), prefix))
      checks.push_back(*std::move(questions));
    if (rules != nullptr && rules->has_rules()) checks.push_back(shown(result, *rules, prefix));
  }
  if (hidden == Hidden::folded) fold_hidden(checks);
  return checks;
}

std::optional<Points> total(const ClassResults& all, const GradedSubmission& one) {
  if (all.lacks_grade(one)) return std::nullopt;
  Points sum;
  for (const Result& result : one.results) {
    sum.score += result.score.score;
    sum.max_score += result.score.max_score;
  }
  return Points{to_cents(sum.score), to_cents(sum.max_score)};
}

std::string overview(const ClassResults& all, const GradedSubmission& one, Totals totals) {
  std::string text;
  for (const Result& result : one.results) {
    const Score& score = result.score;
    if (all.summary.labs.size() > 1) text += result.lab + ": ";
    if (score.status == ResultStatus::grader_fault) {
      text += "no grade: the grader or its machine failed, not the submission\n";
      continue;
    }
    if (totals == Totals::shown)
      text += fmt::format("{} of {} points\n", points_text(score.score), points_text(score.max_score));
    else
      text += "some checks are shown later\n";
    const auto found = one.adjustments.find(result.lab);
    const Adjustment* rules = found == one.adjustments.end() ? nullptr : &found->second;
    if (const QuestionPoints* points = question_points(rules))
      text += line(points->reason) + "\n";
    else if (result.questions)
      text += line("Questions: " + tally_text(*result.questions)) + "\n";
    if (rules != nullptr)
      for (const std::string& reason : totals == Totals::shown ? rules->reasons : rules->reasons_withheld)
        text += line(reason) + "\n";
    const auto first = std::find_if(score.checks.begin(), score.checks.end(), [](const Check& check) {
      return check.status == CheckStatus::fail && !check.diagnostics.empty() &&
             check.visibility == Visibility::visible;
    });
    if (first != score.checks.end()) {
      const Diagnostic& diagnostic = first->diagnostics.front();
      text += line(diagnostic.code + ": " + diagnostic.what) + "\n";
      if (!diagnostic.next_step.empty()) text += line("try: " + diagnostic.next_step) + "\n";
    }
    // Its last part compares with the score.
    if (result.receipt && totals == Totals::shown)
      text += line(receipt_text(result, points_by(rules))) + "\n";
  }
  if (totals == Totals::shown)
    for (const std::string& course_line : one.course_lines) text += line(course_line) + "\n";
  return text;
}

}  // namespace grader
