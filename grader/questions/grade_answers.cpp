#include "questions/grade_answers.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/sha256.hpp"
#include "base/spelling.hpp"
#include "formulas/formula.hpp"

namespace grader {
namespace {

/// Answers are decimal numbers, so even exact truths are compared with the precision of a double's text.
constexpr double kLeastTolerance = 1e-9;

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// The version in the text is part of the contract: another one draws other quantities.
std::uint64_t seed_of(const Lab& lab, const Question& question, const std::string& name) {
  const std::string digest =
      sha256_hex(fmt::format("warpgrade.questions/1\n{}\n{}\n{}", lower_case(name), lab.id, question.id));
  return std::stoull(digest.substr(0, 16), nullptr, 16);
}

const Formula& formula_of(const Question& question) { return *find_formula(question.formula); }

bool is_near(double given, double truth, double tolerance) {
  return std::abs(given - truth) <= std::max(tolerance, kLeastTolerance) * std::abs(truth);
}

/// nullopt: no choice has this letter.
std::optional<double> choice_index(const Question& question, const std::string& letter) {
  if (letter.size() != 1) return std::nullopt;
  const int index = std::tolower(static_cast<unsigned char>(letter.front())) - 'a';
  const bool exists = index >= 0 && static_cast<std::size_t>(index) < question.choices.size();
  return exists ? std::optional<double>(index) : std::nullopt;
}

std::optional<double> value_of(const Question& question, const Answer& answer) {
  if (question.kind == QuestionKind::choice) {
    const auto* letter = std::get_if<std::string>(&answer);
    return letter != nullptr ? choice_index(question, *letter) : std::nullopt;
  }
  const auto* number = std::get_if<double>(&answer);
  return number != nullptr ? std::optional(*number) : std::nullopt;
}

AnswerStatus status_of(const Question& question, const Answer& answer, std::optional<double> truth) {
  if (std::holds_alternative<std::monostate>(answer)) return AnswerStatus::missing;
  const auto value = value_of(question, answer);
  if (!value) return AnswerStatus::invalid;
  if (!truth) return AnswerStatus::open;
  return is_near(*value, *truth, question.tolerance) ? AnswerStatus::right : AnswerStatus::wrong;
}

/// Why the file's answers do not count; empty if they do.
std::string why_refused(const Lab& lab, const Answers& answers, const std::vector<std::string>& names) {
  if (answers.lab != lab.id)
    return fmt::format("{} is for lab {}, not for {}", kAnswersFile, answers.lab, lab.id);
  const auto is_it = [&](const std::string& one) { return is_same_name(one, answers.name); };
  if (!names.empty() && std::none_of(names.begin(), names.end(), is_it))
    return fmt::format("{} is for the name \"{}\", but this submission's names are: {}", kAnswersFile,
                       answers.name, fmt::join(names, ", "));
  return "";
}

std::string unknown_questions(const Lab& lab, const Answers& answers) {
  std::vector<std::string> known;
  for (const Question& one : lab.questions) known.push_back(one.id);
  for (const auto& [id, answer] : answers.given)
    if (lab.find_question(id) == nullptr)
      return fmt::format("{} answers the question \"{}\", which does not exist{}", kAnswersFile, id,
                         did_you_mean(id, known));
  return "";
}

}  // namespace

std::string_view to_string(AnswerStatus status) {
  switch (status) {
    case AnswerStatus::right:
      return "right";
    case AnswerStatus::wrong:
      return "wrong";
    case AnswerStatus::invalid:
      return "invalid";
    case AnswerStatus::missing:
      return "missing";
    case AnswerStatus::open:
      return "open";
  }
  return "";
}

std::string asked_text(const Lab& lab, const Question& question, const std::string& name) {
  const Formula& formula = formula_of(question);
  std::string text = question.text;
  for (const auto& [quantity, value] : draw(formula, seed_of(lab, question, name))) {
    const std::string place = "{" + quantity + "}", shown = shown_quantity(formula, quantity, value);
    for (std::size_t at = text.find(place); at != std::string::npos; at = text.find(place, at + shown.size()))
      text.replace(at, place.size(), shown);
  }
  return text;
}

std::optional<double> truth_of(const Lab& lab, const Question& question, const std::string& name,
                               const CounterValues& counters) {
  const Formula& formula = formula_of(question);
  Quantities quantities = draw(formula, seed_of(lab, question, name));
  for (const auto& [quantity, own] : question.own) {
    const auto of_case = counters.find(own.case_name);
    if (of_case == counters.end() || !of_case->second.contains(own.counter)) return std::nullopt;
    quantities[quantity] = of_case->second.at(own.counter);
  }
  const double truth = formula.truth(quantities);
  return std::isfinite(truth) ? std::optional(truth) : std::nullopt;
}

bool is_same_name(const std::string& one, const std::string& other) {
  return lower_case(one) == lower_case(other);
}

QuestionsOutcome nothing_answered(const Lab& lab, const std::string& problem) {
  QuestionsOutcome outcome;
  outcome.problem = problem;
  for (const Question& one : lab.questions)
    outcome.answers.push_back({one.id, AnswerStatus::missing, 0, one.points});
  return outcome;
}

QuestionsOutcome grade_answers(const Lab& lab, const std::string& text, const std::vector<std::string>& names,
                               const CounterValues& counters) {
  const auto answers = parse_answers(text);
  const std::string refused = answers ? why_refused(lab, *answers, names)
                                      : fmt::format("{} cannot be used: {}", kAnswersFile, answers.error());
  QuestionsOutcome outcome = nothing_answered(lab, refused);
  outcome.answers_sha256 = sha256_hex(text);
  if (!refused.empty()) return outcome;
  outcome.name = answers->name;
  outcome.problem = unknown_questions(lab, *answers);
  for (std::size_t i = 0; i < lab.questions.size(); ++i) {
    const Question& question = lab.questions[i];
    GradedAnswer& graded = outcome.answers[i];
    const auto given = answers->given.find(question.id);
    if (given == answers->given.end()) continue;
    graded.status = status_of(question, given->second, truth_of(lab, question, outcome.name, counters));
    if (graded.status == AnswerStatus::right) graded.points = question.points;
  }
  return outcome;
}

}  // namespace grader
