#include "report/class_text.hpp"

#include <sstream>

#include "catch.hpp"
#include "goldens.hpp"
#include "report/sample.hpp"

using namespace grader;
using namespace testing;

TEST_CASE("the table of a class is as approved: piped, narrow, ASCII, coloured") {
  CHECK(changed_goldens("class", golden, [](const Terminal& terminal) {
          return class_text(sample_class(), terminal);
        }) == kNoChange);
}

TEST_CASE("the table of several labs is as approved, and has every diagnostic") {
  const ClassSummary summary = sample_class_of_two_labs();
  const auto piped = class_text(summary, plain());
  CHECK(piped == golden("class-two-labs.txt", piped));
  const auto wide = class_text(summary, window(80)), narrow = class_text(summary, window(60));
  CHECK(wide == golden("class-two-labs-80.txt", wide));
  CHECK(narrow == golden("class-two-labs-60.txt", narrow));
  for (const ClassRow& row : summary.rows) {
    if (row.code.empty()) continue;
    CHECK_THAT(piped, contains(row.code + " " + row.what + "\n"));
    for (const std::size_t width : {40U, 60U, 80U})
      CHECK_THAT(class_text(summary, window(width)), contains(row.code));
  }
}

TEST_CASE("right answers to questions have a column in the table and the gradebook if there are any") {
  ClassSummary summary = sample_class_of_two_labs();
  summary.rows.at(1).questions = QuestionsTally{6, 8};
  summary.rows.at(3).questions = QuestionsTally{0, 8};
  const auto piped = class_text(summary, plain()), window_80 = class_text(summary, window(80));
  CHECK(piped == golden("class-questions.txt", piped));
  CHECK(window_80 == golden("class-questions-80.txt", window_80));
  CHECK(class_text(summary, window(60)) == class_text(sample_class_of_two_labs(), window(60)));  // no room
  const auto csv = gradebook_csv(summary);
  CHECK_THAT(csv, contains("02-tiled-matmul questions,03-reduction-divergence score,"));
  CHECK_THAT(csv, contains("\r\nalice,100,100,100,accepted,,6 of 8,,,\r\n"));
  CHECK_THAT(csv, !contains("03-reduction-divergence questions"));
}

TEST_CASE("names in the table cannot control the terminal") {
  CHECK(class_text(sample_class(), plain()).find('\x1b') == std::string::npos);
}

TEST_CASE("every submission has one row in the gradebook") {
  std::istringstream lines(gradebook_csv(sample_class()));
  std::size_t rows = 0;
  for (std::string line; std::getline(lines, line);) rows += line.ends_with("\r") ? 1U : 0U;
  CHECK(rows == 1 + sample_class().rows.size());
}

TEST_CASE("the gradebook is as approved: formulas are harmless, a grader fault has no points") {
  const auto csv = gradebook_csv(sample_class());
  CHECK(csv == golden("gradebook.csv", csv));
  CHECK_THAT(csv, contains("\"'=HYPERLINK(\"\"x\"\")\""));
}

TEST_CASE("a cell that could start a formula gets an apostrophe, others do not") {
  for (const std::string id : {"=1+1", "+1", "-1", "@SUM(A1)", "\t=1"}) {
    ClassSummary summary = sample_class();
    summary.rows.front().submission = id;
    CHECK_THAT(gradebook_csv(summary), contains("\"'"));
  }
  ClassSummary harmless = sample_class();
  harmless.rows.front().submission = "o1";
  CHECK_THAT(gradebook_csv(harmless), !contains("\n\"'"));
}
