// The questions of the kit's own labs: enough of them, and a truth for every student.
#include <algorithm>

#include "catch.hpp"
#include "questions/check_questions.hpp"
#include "questions/grade_answers.hpp"

namespace labs_test {

namespace {

using grader::Lab;
using grader::Question;

constexpr std::size_t kLeastQuestions = 4;

std::vector<Lab> labs() {
  auto all = grader::load_labs(std::string(WARPGRADE_SOURCE_DIR) + "/labs");
  REQUIRE(all);
  return *std::move(all);
}

}  // namespace

TEST_CASE("every lab asks at least four questions, some of them before coding, each with two hints") {
  for (const Lab& lab : labs()) {
    CAPTURE(lab.id);
    CHECK(lab.questions.size() >= kLeastQuestions);
    CHECK(std::any_of(lab.questions.begin(), lab.questions.end(),
                      [](const Question& one) { return one.is_before_coding; }));
    for (const Question& one : lab.questions) CHECK(one.hints.size() >= 2);
  }
}

TEST_CASE("every question of the labs has a truth for every student, and not the same for all of them") {
  for (const Lab& lab : labs()) {
    CAPTURE(lab.id);
    CHECK(grader::question_problems(lab).empty());
    for (const Question& one : lab.questions)
      CHECK(grader::asked_text(lab, one, "alice").find('{') == std::string::npos);
  }
}

TEST_CASE("questions that cannot be answered are found") {
  Lab lab = labs().front();
  lab.questions.resize(1);
  Question& question = lab.questions[0];
  question.own = {{"n", {"no-such-case", "barriers"}}};
  CHECK(grader::question_problems(lab).size() == 1);  // the solution has no such counter
  question.own.clear();
  question.formula = "variable-memory";
  question.kind = grader::QuestionKind::choice;
  question.choices = {"registers", "local memory"};
  const auto problems = grader::question_problems(lab);
  REQUIRE(problems.size() == 1);
  CHECK_THAT(problems.front(), testing::contains("lacks the right choice for student"));
}

}  // namespace labs_test
