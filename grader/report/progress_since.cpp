#include "report/progress_since.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "report/numbers.hpp"

namespace grader {
namespace {

struct TaskPoints {
  double points = 0, max_points = 0;
};

TaskPoints points_of_task(const Score& score, const std::string& task) {
  TaskPoints sum;
  for (const Check& check : score.checks) {
    if (check.task != task) continue;
    sum.points += check.points;
    sum.max_points += check.max_points;
  }
  return sum;
}

std::set<std::string> codes_of(const Score& score) {
  std::set<std::string> codes;
  for (const Check& check : score.checks)
    if (check.status == CheckStatus::fail)
      for (const Diagnostic& diagnostic : check.diagnostics) codes.insert(diagnostic.code);
  return codes;
}

bool differ(double one, double other) { return std::abs(one - other) >= 0.005; }  // points have two decimals

}  // namespace

std::vector<std::string> changes_since(const Lab& lab, const Result& before, const Result& now) {
  std::vector<std::string> better, worse;
  const auto add = [&](bool is_better, std::string text) {
    (is_better ? better : worse).push_back((is_better ? "better: " : "worse: ") + std::move(text));
  };
  for (const Task& task : lab.tasks) {
    const TaskPoints was = points_of_task(before.score, task.id), is = points_of_task(now.score, task.id);
    if (differ(was.points, is.points))
      add(is.points > was.points, fmt::format("{} {} → {} of {} points", task.id, points_text(was.points),
                                              points_text(is.points), points_text(task.points)));
  }
  for (const Performance& is : now.score.performance) {
    const auto was = std::find_if(before.score.performance.begin(), before.score.performance.end(),
                                  [&](const Performance& one) { return one.case_name == is.case_name; });
    constexpr double kSame = 0.01;  // of the speed-up
    if (was == before.score.performance.end() || std::abs(is.speedup / was->speedup - 1) <= kSame) continue;
    add(is.speedup > was->speedup, fmt::format("speed-up of {} {}× → {}×", is.case_name,
                                               value_text(was->speedup), value_text(is.speedup)));
  }
  const auto was = codes_of(before.score), is = codes_of(now.score);
  for (const std::string& code : was)
    if (!is.contains(code)) add(true, code + " is gone");
  for (const std::string& code : is)
    if (!was.contains(code)) add(false, code + " is new");
  better.insert(better.end(), worse.begin(), worse.end());
  return better;
}

std::string progress_since_text(const Lab& lab, const Result& before, const Result& now,
                                const Terminal& terminal) {
  const auto changes = changes_since(lab, before, now);
  if (changes.empty()) return "no change since the last check\n";
  std::string text;
  for (const std::string& change : changes) {
    const std::string line = cut_in_window(spelled(printable(change), terminal), terminal.width, terminal);
    text += paint(terminal, change.starts_with("better") ? Ink::good : Ink::bad, line) + "\n";
  }
  return text;
}

}  // namespace grader
