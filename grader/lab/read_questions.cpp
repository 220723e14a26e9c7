#include "lab/read_questions.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "formulas/formula.hpp"

namespace grader {
namespace {

constexpr std::size_t kMaxChoices = 8;

bool is_computed(const Lab& lab, const OwnCounter& own) {
  const auto is_it = [&](const std::string& counter) { return counter == own.counter; };
  for (const Task& task : lab.tasks)
    for (const Objective& one : task.objectives)
      if (one.case_name == own.case_name &&
          (is_it(one.counter) ||
           std::any_of(one.related.begin(), one.related.end(),
                       [&](const ShownCounter& shown) { return is_it(shown.counter); })))
        return true;
  return false;
}

/// The counters that the formula needs. Only those that objectives use are known after a run.
std::map<std::string, OwnCounter> read_own(const JsonNode& node, const Formula& formula, const Lab& lab) {
  std::map<std::string, OwnCounter> own;
  node.allow_keys({formula.own.begin(), formula.own.end()});
  for (const std::string_view name : formula.own) {
    const JsonNode one = node.at(std::string(name));
    one.allow_keys({"case", "counter"});
    const OwnCounter counter{one.at("case").text(), one.at("counter").text()};
    if (!is_computed(lab, counter))
      one.refuse(fmt::format("names the counter \"{}\" of \"{}\", which no objective uses", counter.counter,
                             counter.case_name));
    own[std::string(name)] = counter;
  }
  return own;
}

/// Refuses a quantity in braces that the formula does not have.
void check_text(const JsonNode& text, const Formula& formula) {
  const std::string asked = text.text();
  for (std::size_t at = asked.find('{'); at != std::string::npos; at = asked.find('{', at + 1)) {
    const std::string name = asked.substr(at + 1, asked.find('}', at) - at - 1);
    const bool is_known = std::any_of(formula.drawn.begin(), formula.drawn.end(),
                                      [&](const Drawn& one) { return one.name == name; });
    if (!is_known)
      text.refuse(fmt::format("names the quantity {{{}}}, which its formula does not draw", name));
  }
  for (const Drawn& one : formula.drawn)
    if (asked.find(fmt::format("{{{}}}", one.name)) == std::string::npos)
      text.refuse(fmt::format("does not give the quantity {{{}}}, which its formula draws", one.name));
}

std::vector<std::string> texts(const JsonNode& list) {
  std::vector<std::string> all;
  for (const JsonNode& one : list.elements()) all.push_back(one.text());
  return all;
}

void read_kind(const JsonNode& node, Question& question) {
  if (node.at("kind").one_of({"number", "choice"}) == "choice") {
    question.kind = QuestionKind::choice;
    question.choices = texts(node.at("choices"));
    if (question.choices.size() < 2 || question.choices.size() > kMaxChoices)
      node.at("choices").refuse_value(fmt::format("a list of 2 to {} texts", kMaxChoices));
    return;
  }
  if (const auto unit = node.find("unit")) question.unit = unit->text();
  if (const auto tolerance = node.find("tolerance")) {
    question.tolerance = tolerance->number();
    if (question.tolerance < 0 || question.tolerance >= 1)
      tolerance->refuse_value("at least 0 and less than 1");
  }
}

Question read_question(const JsonNode& node, const Lab& lab) {
  node.allow_keys(
      {"id", "text", "kind", "unit", "tolerance", "choices", "truth", "own", "when", "points", "hints"});
  Question question;
  question.id = node.at("id").name();
  if (lab.find_question(question.id) != nullptr)
    node.at("id").refuse_value("an id that differs from those of all other questions");
  question.formula = node.at("truth").one_of(formula_names());
  const Formula& formula = *find_formula(question.formula);
  question.text = node.at("text").text();
  check_text(node.at("text"), formula);
  read_kind(node, question);
  if (!formula.own.empty() || node.find("own")) question.own = read_own(node.at("own"), formula, lab);
  question.is_before_coding = node.at("when").one_of({"before", "after"}) == "before";
  if (question.is_before_coding && !question.own.empty())
    node.at("when").refuse_value("\"after\", because the truth depends on the student's own run");
  if (const auto points = node.find("points")) question.points = points->positive();
  question.hints = texts(node.at("hints"));
  if (question.hints.empty()) node.at("hints").refuse_value("a list of at least one hint");
  return question;
}

}  // namespace

std::vector<Question> read_questions(const JsonNode& list, const Lab& lab) {
  Lab so_far = lab;
  for (const JsonNode& one : list.elements()) so_far.questions.push_back(read_question(one, so_far));
  return so_far.questions;
}

}  // namespace grader
