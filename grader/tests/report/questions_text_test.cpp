#include "report/questions_text.hpp"

#include "catch.hpp"
#include "goldens.hpp"
#include "questions/grade_answers.hpp"
#include "report/sample.hpp"

using namespace grader;
using namespace testing;

namespace {

Lab asking_lab() {
  Lab lab;
  lab.id = "02-tiled-matmul";
  Question bytes;
  bytes.id = "tile-bytes";
  bytes.formula = "tile-bytes";
  bytes.text =
      "Tiles have {tile} × {tile} floats. How many bytes do a tile of M and a tile of N need together?";
  bytes.unit = "bytes";
  bytes.is_before_coding = true;
  bytes.hints = {"How many elements does a tile have?", "Two tiles, 4 bytes per float."};
  Question memory;
  memory.id = "memory";
  memory.kind = QuestionKind::choice;
  memory.formula = "variable-memory";
  memory.text = "In which memory is {variable}?";
  memory.choices = {"registers", "local memory", "shared memory", "global memory"};
  memory.is_before_coding = true;
  memory.hints = {"Does a thread have it for itself?"};
  Question own;
  own.id = "own-blocks";
  own.formula = "tile-own-blocks";
  own.text = "How many of your blocks fit in {shared_kb} KB?";
  own.own = {{"shared_bytes", {"square-256", "static_shared_bytes"}}};
  own.tolerance = 0.02;
  own.hints = {"Divide."};
  lab.questions = {bytes, memory, own};
  return lab;
}

QuestionsOutcome outcome(const std::string& answers) {
  return grade_answers(
      asking_lab(),
      R"({"schema": "warpgrade.answers/1", "lab": "02-tiled-matmul", "name": "alice", "answers": {)" +
          answers + "}}",
      {}, {});
}

const std::string kSome = R"("tile-bytes": 7, "memory": 3, "own-blocks": 4, "misspelled": 1)";

}  // namespace

TEST_CASE("questions without answers are shown in full, with hints on request") {
  CHECK(changed_goldens("questions", golden, [](const Terminal& terminal) {
          return questions_text(asking_lab(), {"alice", 1}, nullptr, terminal);
        }) == kNoChange);
}

TEST_CASE("questions with answers and their grades, and the answers alone, are as approved") {
  const QuestionsOutcome some = outcome(kSome);
  CHECK(changed_goldens("questions-answered", golden, [&](const Terminal& terminal) {
          return questions_text(asking_lab(), {"alice", 2}, &some, terminal);
        }) == kNoChange);
  CHECK(changed_goldens("answers", golden, [&](const Terminal& terminal) {
          return answers_text(asking_lab(), some, terminal);
        }) == kNoChange);
  const auto text = questions_text(asking_lab(), {"alice", 2}, &some, ascii());
  CHECK(std::all_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x80; }));
}

TEST_CASE("a check counts the answers in one line, and names those that are wrong, never the truth") {
  const QuestionsOutcome some = outcome(kSome);
  const auto text = answers_text(asking_lab(), some, plain());
  CHECK_THAT(
      text,
      contains("0/3 points; 1 wrong (tile-bytes), 1 not of the asked form\n(memory), 1 without a grade"));
  CHECK(answers_text(asking_lab(), outcome("\"memory\": null"), plain()) ==
        "Questions for alice: 0/3 points; 3 not answered\nNext: warpgrade questions 02-tiled-matmul\n");
  const double truth = *truth_of(asking_lab(), asking_lab().questions[0], "alice", {});
  CHECK_THAT(text, !contains(std::to_string(static_cast<int>(truth))));
}

TEST_CASE("the tally counts right and open answers, and names what is wrong with the file") {
  QuestionsOutcome some = outcome(kSome);
  CHECK(tally_text(some) ==
        "0 of 3 right, 1 open; answers.json answers the question \"misspelled\", which does not exist");
  some.problem.clear();
  some.answers[0].status = some.answers[2].status = AnswerStatus::right;
  CHECK(tally_text(some) == "2 of 3 right");
  CHECK_THAT(tally_text(grade_answers(asking_lab(), "{", {}, {})),
             contains("none of 3 graded: answers.json cannot be used: it is not JSON"));
}

TEST_CASE("a name from outside cannot control the terminal") {
  QuestionsOutcome hostile = outcome("");
  hostile.name = "a\x1b[31m";
  hostile.problem = "for \x1b[2J";
  CHECK_THAT(answers_text(asking_lab(), hostile, plain()), !contains("\x1b"));
}
