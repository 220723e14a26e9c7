#include "pages/questions_html.hpp"

#include "catch.hpp"
#include "pages/question_analysis.hpp"
#include "pages/sample_report.hpp"
#include "report/sample.hpp"

namespace questions_html_test {

using namespace grader;
using namespace grader::pages;
using namespace testing;

namespace {

QuestionsOutcome answered(AnswerStatus one, AnswerStatus two, AnswerStatus three) {
  QuestionsOutcome outcome;
  outcome.name = "a";
  const auto add = [&](const char* id, AnswerStatus status, double points) {
    outcome.answers.push_back({id, status, status == AnswerStatus::right ? points : 0, points});
  };
  add("one", one, 1);
  add("two", two, 1);
  add("three", three, 2);
  return outcome;
}

}  // namespace

TEST_CASE("share and discrimination of questions are those computed by hand") {
  const AnswerStatus right = AnswerStatus::right, wrong = AnswerStatus::wrong;
  const std::vector<QuestionsOutcome> outcomes = {
      answered(right, right, right), answered(right, AnswerStatus::open, AnswerStatus::missing),
      answered(wrong, right, wrong), answered(AnswerStatus::invalid, wrong, wrong)};
  std::vector<const QuestionsOutcome*> pointers;
  for (const QuestionsOutcome& one : outcomes) pointers.push_back(&one);
  const auto items = question_analysis(pointers);
  REQUIRE(items.size() == 3);
  CHECK(items[0].id == "one");
  CHECK(items[0].results == 4);
  CHECK(items[0].share_right == 0.5);
  CHECK(items[0].count(wrong) == 1);
  CHECK(items[0].count(AnswerStatus::invalid) == 1);
  CHECK(items[1].count(AnswerStatus::open) == 1);
  CHECK(items[2].count(AnswerStatus::missing) == 1);
  CHECK(items[2].share_right == 0.25);
  CHECK(items[2].points == 2);
  // right 1, 1, 0, 0 and the rest 3, 0, 1, 0: 1 / sqrt(1 · 6)
  CHECK(items[0].discrimination.value() == Approx(0.408248).epsilon(1e-5));
  CHECK(question_analysis({}).empty());
}

TEST_CASE("a submission's page has a row per question, without any answer") {
  Result result = accepted_result();
  CHECK(questions_html(result).empty());
  result.questions = some_answers();
  const std::string html = questions_html(result);
  CHECK_THAT(html, contains("2 of 4 right, 1 open") && contains("Answers for the name alice"));
  CHECK_THAT(html, contains("tile-bytes</th><td><span class=\"good\">✓ right</span></td>"));
  CHECK_THAT(html, contains("own-blocks</th><td><span class=\"warning\">! open</span></td>"));
  CHECK_THAT(html, contains("data-value=\"3\">3 <span class=\"of\">/ 6</span>"));
}

TEST_CASE("a file of answers that was refused has its reason instead of rows") {
  Result result = accepted_result();
  result.questions.emplace().problem = "answers.json is for the name \"<b>\"";
  const std::string html = questions_html(result);
  CHECK_THAT(html, contains("answers.json is for the name &quot;&lt;b&gt;&quot;") && !contains("<table"));
}

TEST_CASE("the class's page has the statistics of the questions, without refused files") {
  ReportInput input = attacked_report();
  const std::string html = questions_section(input.all);
  CHECK_THAT(html, contains("Questions of 02-tiled-matmul") && contains("that were not graded: 1."));
  CHECK_THAT(html, contains("<th scope=\"row\">memory</th>") && contains("data-value=\"0\">0 %</td>"));
  CHECK_THAT(class_page(input), contains("<li><a href=\"#questions\">Questions</a></li>"));
  for (GradedSubmission& one : input.all.submissions) one.results.front().questions.reset();
  CHECK(questions_section(input.all).empty());
}

}  // namespace questions_html_test
