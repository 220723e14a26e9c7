// answers.json is handed in, so its text can hold anything.
#include "questions/answers.hpp"

#include "catch.hpp"

namespace answers_test {

namespace {

using grader::parse_answers;
using testing::contains;

std::string file(const std::string& answers) {
  return R"({"schema": "warpgrade.answers/1", "lab": "02-tiled-matmul", "name": "alice", "answers": )" +
         answers + "}";
}

std::string problem(const std::string& text) {
  const auto answers = parse_answers(text);
  return answers ? "" : answers.error();
}

}  // namespace

TEST_CASE("numbers, letters and null are answers") {
  const auto answers = parse_answers(file(R"({"a": 2048, "b": "c", "d": null})"));
  REQUIRE(answers);
  CHECK(answers->lab == "02-tiled-matmul");
  CHECK(answers->name == "alice");
  CHECK(std::get<double>(answers->given.at("a")) == 2048);
  CHECK(std::get<std::string>(answers->given.at("b")) == "c");
  CHECK(answers->given.at("d").index() == 0);
}

TEST_CASE("a blank file can be read, and answers nothing") {
  grader::Lab lab;
  lab.id = "02-tiled-matmul";
  lab.questions.resize(1);
  lab.questions[0].id = "tile-bytes";
  const auto answers = parse_answers(grader::blank_answers(lab, "Zoë"));
  REQUIRE(answers);
  CHECK(answers->name == "Zoë");
  CHECK(answers->given.at("tile-bytes").index() == 0);
}

TEST_CASE("a file that cannot be used is refused with the place of the mistake") {
  CHECK_THAT(problem("{\n  1"), contains("line 2"));
  CHECK_THAT(problem(file("{\"a\": true}")), contains("answers.a"));
  CHECK_THAT(problem(file("{\"a\": [1]}")), contains("answers.a"));
  CHECK_THAT(problem(file("{\"a\": 1, \"a\": 2}")), contains("answers.a"));
  CHECK_THAT(problem(file("{\"a\": 1e999}")), !contains("internal"));
  CHECK_THAT(problem(R"({"schema": "warpgrade.answers/2"})"), contains("schema"));
  CHECK_THAT(problem(R"({"schema": "warpgrade.answers/1", "answers": {}})"), contains("lab"));
  CHECK_FALSE(problem("").empty());
  CHECK_FALSE(problem(file("{\"a\": \"\xff\"}")).empty());
  CHECK_FALSE(problem(file("{\"a\": \"" + std::string(5000, 'x') + "\"}")).empty());
}

TEST_CASE("deep nesting is refused without a deep recursion") {
  CHECK_THAT(problem(std::string(60000, '[')), contains("64 levels"));
  CHECK_THAT(problem(file(std::string(500000, '[') + std::string(500000, ']'))), contains("64 levels"));
  CHECK(problem(file(R"({"a": ")" + std::string(65, '[') + "\"}")).find("levels") == std::string::npos);
}

}  // namespace answers_test
