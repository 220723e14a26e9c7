#include "report/questions_text.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "questions/grade_answers.hpp"
#include "report/numbers.hpp"

namespace grader {
namespace {

constexpr std::size_t kStatusColumns = 7, kPointsColumns = 7;

/// Wrapped lines, indented.
std::string indented(std::string_view text, std::size_t by, const Terminal& terminal) {
  std::string lines;
  for (const std::string& line :
       wrap(spelled(text, terminal), std::max<std::size_t>(terminal.width, 40) - by))
    lines += std::string(by, ' ') + line + "\n";
  return lines;
}

std::string mark_of(AnswerStatus status, const Terminal& terminal) {
  const Ink ink = status == AnswerStatus::right     ? Ink::good
                  : status == AnswerStatus::wrong   ? Ink::bad
                  : status == AnswerStatus::invalid ? Ink::bad
                                                    : Ink::quiet;
  const std::string word = status == AnswerStatus::wrong ? "WRONG" : std::string(to_string(status));
  return paint(terminal, ink, left(word, kStatusColumns, terminal));
}

/// "a number (bytes)"
std::string form_of(const Question& question) {
  if (question.kind == QuestionKind::choice) return "a letter, such as \"a\"";
  std::string form = "a number";
  if (!question.unit.empty())
    form += question.unit.starts_with('(') ? " " + question.unit : ", in " + question.unit;
  if (question.tolerance > 0) form += fmt::format(", within {}", percent_text(question.tolerance));
  return form;
}

std::string total_text(const QuestionsOutcome& outcome) {
  return fmt::format("{}/{} points", points_text(outcome.points()), points_text(outcome.max_points()));
}

std::string choices_text(const Question& question, const Terminal& terminal) {
  std::string text;
  char letter = 'a';
  for (const std::string& choice : question.choices)
    text += indented(fmt::format("{}) {}", letter++, choice), 4, terminal);
  return text;
}

std::string hints_text(const Question& question, std::size_t count, const Terminal& terminal) {
  std::string text;
  for (std::size_t i = 0; i < std::min(count, question.hints.size()); ++i)
    text += indented("hint: " + question.hints[i], 4, terminal);
  return text;
}

/// For an answer that has another form. In JSON, a number in quotes is a text.
std::string needed_form(const Question& question) {
  const bool is_number = question.kind != QuestionKind::choice;
  return "should be " + form_of(question) + (is_number ? ", without quotes" : "");
}

/// Why the answer has no grade yet; empty if it has one.
std::string wait_text(const Question& question, AnswerStatus status) {
  if (status != AnswerStatus::open || question.own.empty()) return "";
  return fmt::format("Graded by warpgrade check, with your run of {}.",
                     question.own.begin()->second.case_name);
}

std::string question_text(const Lab& lab, const Question& question, const QuestionsPage& page,
                          const GradedAnswer* graded, const Terminal& terminal) {
  std::string text = "\n  " + paint(terminal, Ink::strong, question.id);
  if (graded != nullptr)
    text += fmt::format("  {}/{}  {}", points_text(graded->points), points_text(graded->max_points),
                        mark_of(graded->status, terminal));
  text.erase(text.find_last_not_of(' ') + 1);
  text +=
      "\n" + indented(asked_text(lab, question, page.name), 4, terminal) + choices_text(question, terminal);
  const bool is_invalid = graded != nullptr && graded->status == AnswerStatus::invalid;
  text += indented(
      is_invalid ? "Your answer " + needed_form(question) + "." : "Answer: " + form_of(question) + ".", 4,
      terminal);
  if (const std::string wait = graded != nullptr ? wait_text(question, graded->status) : ""; !wait.empty())
    text += indented(wait, 4, terminal);
  const bool is_wrong = graded != nullptr && graded->status == AnswerStatus::wrong;
  return text + hints_text(question, std::max<std::size_t>(page.hints, is_wrong ? 1 : 0), terminal);
}

const GradedAnswer* grade_of(const QuestionsOutcome* outcome, const std::string& id) {
  if (outcome == nullptr) return nullptr;
  const auto found = std::find_if(outcome->answers.begin(), outcome->answers.end(),
                                  [&](const GradedAnswer& one) { return one.id == id; });
  return found == outcome->answers.end() ? nullptr : &*found;
}

std::string problem_text(const QuestionsOutcome& outcome, const Terminal& terminal) {
  return outcome.problem.empty() ? "" : indented(printable(outcome.problem, terminal.unicode), 2, terminal);
}

/// "; 5 right, 1 wrong (tile-bytes), 2 not answered"
std::string grades_text(const QuestionsOutcome& outcome) {
  struct Grade {
    AnswerStatus status;
    const char* words;
    bool names_questions;
  };
  constexpr std::array<Grade, 5> kGrades = {{{AnswerStatus::right, "right", false},
                                             {AnswerStatus::wrong, "wrong", true},
                                             {AnswerStatus::invalid, "not of the asked form", true},
                                             {AnswerStatus::open, "without a grade", true},
                                             {AnswerStatus::missing, "not answered", false}}};
  std::vector<std::string> parts;
  for (const Grade& grade : kGrades) {
    std::vector<std::string> ids;
    for (const GradedAnswer& one : outcome.answers)
      if (one.status == grade.status) ids.push_back(one.id);
    if (ids.empty()) continue;
    parts.push_back(fmt::format("{} {}", ids.size(), grade.words));
    if (grade.names_questions) parts.back() += fmt::format(" ({})", fmt::join(ids, ", "));
  }
  return parts.empty() ? "" : fmt::format("; {}", fmt::join(parts, ", "));
}

}  // namespace

std::string tally_text(const QuestionsOutcome& outcome) {
  const QuestionsTally tally = outcome.tally();
  if (outcome.is_refused() && !outcome.problem.empty())
    return fmt::format("none of {} graded: {}", tally.count, outcome.problem);
  std::string text = fmt::format("{} of {} right", tally.right, tally.count);
  if (const std::size_t open = outcome.count(AnswerStatus::open); open > 0)
    text += fmt::format(", {} open", open);
  return outcome.problem.empty() ? text : text + "; " + outcome.problem;
}

std::string questions_text(const Lab& lab, const QuestionsPage& page, const QuestionsOutcome* outcome,
                           const Terminal& terminal) {
  std::string text =
      spelled(fmt::format("Questions of lab {} for {}", lab.id, printable(page.name)), terminal);
  if (outcome != nullptr) text += ": " + total_text(*outcome);
  text += "\n";
  if (outcome != nullptr) text += problem_text(*outcome, terminal);
  for (const bool before : {true, false}) {
    bool is_first = true;
    for (const Question& one : lab.questions) {
      if (one.is_before_coding != before) continue;
      if (std::exchange(is_first, false))
        text += before ? "\nBefore you write code:\n" : "\nAfter your code runs:\n";
      text += question_text(lab, one, page, grade_of(outcome, one.id), terminal);
    }
  }
  return text;
}

std::string answers_text(const Lab& lab, const QuestionsOutcome& outcome, const Terminal& terminal) {
  std::string line = "Questions";
  if (!outcome.name.empty()) line += " for " + printable(outcome.name, terminal.unicode);
  line += ": " + total_text(outcome);
  if (!outcome.is_refused() || outcome.problem.empty()) line += grades_text(outcome);
  std::string text = indented(line, 0, terminal) + problem_text(outcome, terminal);
  if (outcome.is_refused()) return text;
  if (outcome.count(AnswerStatus::wrong) + outcome.count(AnswerStatus::invalid) > 0)
    text += fmt::format("Next: warpgrade questions {} --hints 2\n", lab.id);
  else if (outcome.count(AnswerStatus::missing) > 0)
    text += fmt::format("Next: warpgrade questions {}\n", lab.id);
  return text;
}

}  // namespace grader
