// The questions of the kit's own labs: enough of them, and a truth for every student.
#include <set>

#include "catch.hpp"
#include "questions/grade_answers.hpp"

namespace labs_test {

namespace {

using grader::Lab;
using grader::Question;
using grader::QuestionKind;

constexpr std::size_t kLeastQuestions = 4;
constexpr int kStudents = 64;

std::vector<Lab> labs() {
  auto all = grader::load_labs(std::string(WARPGRADE_SOURCE_DIR) + "/labs");
  REQUIRE(all);
  return *std::move(all);
}

/// A run whose counters have the solution's values.
grader::CounterValues solution_run(const Lab& lab) {
  grader::CounterValues values;
  for (const grader::Task& task : lab.tasks)
    for (const grader::Objective& one : task.objectives) {
      values[one.case_name][one.counter] = one.solution;
      for (const grader::ShownCounter& shown : one.related)
        values[one.case_name][shown.counter] = shown.solution;
    }
  return values;
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

TEST_CASE("every question has a truth for every student, and not the same for all of them") {
  for (const Lab& lab : labs()) {
    const auto run = solution_run(lab);
    for (const Question& one : lab.questions) {
      CAPTURE(lab.id, one.id);
      std::set<double> truths;
      for (int student = 0; student < kStudents; ++student) {
        const std::string name = "student" + std::to_string(student);
        CHECK(grader::asked_text(lab, one, name).find('{') == std::string::npos);
        const auto truth = grader::truth_of(lab, one, name, run);
        REQUIRE(truth);
        if (one.kind == QuestionKind::choice) REQUIRE(*truth < static_cast<double>(one.choices.size()));
        truths.insert(*truth);
      }
      if (one.own.empty()) CHECK(truths.size() > 1);
    }
  }
}

}  // namespace labs_test
