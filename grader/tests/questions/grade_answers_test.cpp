// Questions are drawn from the name; answers are graded by kind.
#include "questions/grade_answers.hpp"

#include <fmt/format.h>

#include "catch.hpp"

namespace grade_answers_test {

namespace {

using grader::AnswerStatus;
using grader::CounterValues;
using grader::grade_answers;
using grader::Lab;
using grader::Question;
using grader::QuestionKind;
using grader::QuestionsOutcome;
using testing::contains;

Question question(const std::string& id, const std::string& formula, const std::string& text) {
  Question one;
  one.id = id;
  one.text = text;
  one.formula = formula;
  one.hints = {"think"};
  return one;
}

Lab lab() {
  Lab one;
  one.id = "02-tiled-matmul";
  one.questions = {question("bytes", "tile-bytes", "bytes of tiles of {tile}?"),
                   question("memory", "variable-memory", "where is {variable}?"),
                   question("share", "memory-share-of-peak", "{bandwidth} of {peak}?"),
                   question("own", "tile-own-blocks", "blocks in {shared_kb} KB?")};
  one.questions[1].kind = QuestionKind::choice;
  one.questions[1].choices = {"registers", "local", "shared", "global", "constant"};
  one.questions[2].tolerance = 0.02;
  one.questions[2].points = 3;
  one.questions[3].own = {{"shared_bytes", {"square", "static_shared_bytes"}}};
  return one;
}

const CounterValues kRun{{"square", {{"static_shared_bytes", 2048}}}};

double truth(const std::string& id, const std::string& name = "alice") {
  return *grader::truth_of(lab(), *lab().find_question(id), name, kRun);
}

std::string file(const std::string& answers, const std::string& name = "alice",
                 const std::string& of = "02-tiled-matmul") {
  return fmt::format(R"({{"schema": "warpgrade.answers/1", "lab": "{}", "name": "{}", "answers": {{{}}}}})",
                     of, name, answers);
}

QuestionsOutcome graded(const std::string& answers, const CounterValues& run = kRun) {
  return grade_answers(lab(), file(answers), {}, run);
}

AnswerStatus status(const std::string& answers, std::size_t which) {
  return graded(answers).answers.at(which).status;
}

}  // namespace

TEST_CASE("right answers earn their points") {
  const char letter = static_cast<char>('a' + static_cast<int>(truth("memory")));
  const QuestionsOutcome all =
      graded(fmt::format(R"("bytes": {}, "memory": "{}", "share": {}, "own": {})", truth("bytes"), letter,
                         truth("share") * 1.019, truth("own")));
  CHECK(all.problem.empty());
  CHECK(all.points() == 6);
  CHECK(all.max_points() == 6);
  CHECK(all.count(AnswerStatus::right) == 4);
  CHECK(all.name == "alice");
}

TEST_CASE("wrong, missing and invalid answers earn nothing, the others still count") {
  const QuestionsOutcome some =
      graded(fmt::format(R"("bytes": {}, "memory": 3, "share": {})", truth("bytes") + 1, truth("share")));
  CHECK(some.answers[0].status == AnswerStatus::wrong);
  CHECK(some.answers[1].status == AnswerStatus::invalid);
  CHECK(some.answers[2].status == AnswerStatus::right);
  CHECK(some.answers[3].status == AnswerStatus::missing);
  CHECK(some.points() == 3);
  CHECK(status(R"("memory": "f")", 1) == AnswerStatus::invalid);
  CHECK(status(R"("memory": "ab")", 1) == AnswerStatus::invalid);
  CHECK(status(R"("bytes": "2048")", 0) == AnswerStatus::invalid);
  CHECK(status(R"("bytes": null)", 0) == AnswerStatus::missing);
}

TEST_CASE("choices are letters, capital or small") {
  const int index = static_cast<int>(truth("memory"));
  CHECK(status(fmt::format(R"("memory": "{}")", static_cast<char>('A' + index)), 1) == AnswerStatus::right);
  CHECK(status(fmt::format(R"("memory": "{}")", static_cast<char>('a' + (index + 1) % 5)), 1) ==
        AnswerStatus::wrong);
}

TEST_CASE("an answer outside its tolerance is wrong, on either side") {
  CHECK(status(fmt::format(R"("share": {})", truth("share") * 1.021), 2) == AnswerStatus::wrong);
  CHECK(status(fmt::format(R"("share": {})", truth("share") * 0.979), 2) == AnswerStatus::wrong);
}

TEST_CASE("a question about the student's own run stays open without that run") {
  const std::string answer = fmt::format(R"("own": {})", truth("own"));
  CHECK(graded(answer).answers[3].status == AnswerStatus::right);
  CHECK(graded(answer, {}).answers[3].status == AnswerStatus::open);
  CHECK(graded(answer, {{"square", {{"static_shared_bytes", 0}}}}).answers[3].status == AnswerStatus::open);
}

TEST_CASE("quantities depend on the name, and on nothing else") {
  const grader::Lab the_lab = lab();
  const Question& asked = the_lab.questions[3];
  std::set<std::string> texts;
  for (const char* name : {"alice", "bob", "carol", "dave", "erin", "frank"})
    texts.insert(grader::asked_text(the_lab, asked, name));
  CHECK(texts.size() > 1);
  CHECK(grader::asked_text(the_lab, asked, "alice") == grader::asked_text(the_lab, asked, "Alice"));
  CHECK_THAT(grader::asked_text(the_lab, asked, "alice"), !contains("{"));
}

TEST_CASE("answers for another lab or another student earn nothing, with the reason") {
  const QuestionsOutcome other_lab = grade_answers(lab(), file("", "alice", "03-x"), {}, kRun);
  CHECK_THAT(other_lab.problem, contains("for lab 03-x"));
  const std::string answers = file(fmt::format(R"("bytes": {})", truth("bytes")));
  CHECK(grade_answers(lab(), answers, {"ALICE"}, kRun).points() == 1);
  const QuestionsOutcome stolen = grade_answers(lab(), answers, {"bob", "u123"}, kRun);
  CHECK(stolen.points() == 0);
  CHECK(stolen.max_points() == 6);
  CHECK_THAT(stolen.problem, contains("for the name \"alice\", but this submission's names are: bob, u123"));
}

TEST_CASE("an unknown question and an unusable file are reported") {
  const QuestionsOutcome misspelled = graded(fmt::format(R"("byte": 1, "bytes": {})", truth("bytes")));
  CHECK_THAT(misspelled.problem, contains("\"byte\", which does not exist; did you mean `bytes`"));
  CHECK(misspelled.points() == 1);
  const QuestionsOutcome broken = grade_answers(lab(), "{", {}, kRun);
  CHECK_THAT(broken.problem, contains("answers.json cannot be used"));
  CHECK(broken.answers.size() == 4);
}

}  // namespace grade_answers_test
