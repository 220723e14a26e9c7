#include "questions/answers.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "lab/json_reader.hpp"

namespace grader {
namespace {

constexpr const char* kAnswersSchema = "warpgrade.answers/1";

Answer read_answer(const JsonNode& node) {
  if (node.is_null()) return {};
  if (node.is_text()) return node.text();
  return node.number();
}

Answers read_answers(const JsonNode& root) {
  root.allow_keys({"schema", "lab", "name", "answers"});
  root.at("schema").one_of({kAnswersSchema});
  Answers answers;
  answers.lab = root.at("lab").name();
  answers.name = root.at("name").text();
  for (const auto& [id, node] : root.at("answers").members()) answers.given[id] = read_answer(node);
  return answers;
}

}  // namespace

Expected<Answers, std::string> parse_answers(const std::string& text) {
  try {
    const auto document = parse_json(text);
    if (document) return read_answers(JsonNode(*document));
    const JsonSyntaxError& error = document.error();
    return Unexpected{
        fmt::format("it is not JSON: line {}, column {}: {}", error.line, error.column, error.what)};
  } catch (const JsonProblem& problem) {
    return Unexpected{std::string(problem.what())};
  }
}

std::string blank_answers(const Lab& lab, const std::string& name) {
  nlohmann::ordered_json answers = nlohmann::ordered_json::object();
  for (const Question& one : lab.questions) answers[one.id] = nullptr;
  return json_text(
             {{"schema", kAnswersSchema}, {"lab", lab.id}, {"name", name}, {"answers", std::move(answers)}},
             2) +
         "\n";
}

}  // namespace grader
