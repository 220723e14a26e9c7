#include "score/check_words.hpp"

#include <algorithm>

#include "lab/counter_names.hpp"

namespace grader {

std::string words_in_task(const Check& check) {
  const bool is_below = !check.task.empty() && check.id.starts_with(check.task + "/");
  const std::string name = is_below ? check.id.substr(check.task.size() + 1) : check.id;
  const std::size_t at = name.rfind('@');
  if (at == std::string::npos) return name;
  return counter_words(name.substr(0, at)) + " (" + name.substr(at + 1) + ")";
}

std::string task_words(const Check& check) {
  return (check.task_title.empty() ? check.task : check.task_title) + (check.is_bonus ? " (bonus)" : "");
}

std::string check_words(const Check& check) {
  return check.task.empty() ? check.id : task_words(check) + " / " + words_in_task(check);
}

CheckOutcome outcome_of(CheckStatus status, double points, double max_points) {
  if (status == CheckStatus::fail) return CheckOutcome::fail;
  if (status == CheckStatus::skip) return CheckOutcome::skip;
  const bool can_earn = max_points > 0;  // the rules of a course can only take points away
  return can_earn && points < max_points ? CheckOutcome::part : CheckOutcome::pass;
}

std::string_view words_of(CheckOutcome outcome) {
  switch (outcome) {
    case CheckOutcome::pass:
      return "pass";
    case CheckOutcome::part:
      return "part";
    case CheckOutcome::fail:
      return "FAIL";
    case CheckOutcome::skip:
      break;
  }
  return "skip";
}

std::string verdict_words(Verdict verdict) {
  if (verdict == Verdict::too_slow) return "objective missed";
  std::string words(to_string(verdict));
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

}  // namespace grader
