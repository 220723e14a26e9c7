// The CSV files of a course: variants that spreadsheets and LMSs write, and mistakes in them.
#include "course/csv_files.hpp"

#include "catch.hpp"
#include "course_grades/course_fixture.hpp"

namespace csv_files_test {

using namespace testing;
using namespace grader::course;

namespace {

class Files {
 public:
  Files() : course_(folder_.loaded(small_course())) {}

  std::vector<ManualMark> marks(const std::string& csv, const std::string& lab = "") const {
    folder_.write("marks.csv", csv);
    auto read = read_manual_marks(folder_.path() / "marks.csv", lab, course_);
    if (!read) FAIL(read.error().what);
    return *std::move(read);
  }
  /// "3: names no student"
  std::string mark_problem(const std::string& csv, const std::string& lab = "") const {
    folder_.write("marks.csv", csv);
    return problem_of(read_manual_marks(folder_.path() / "marks.csv", lab, course_));
  }
  std::vector<GivenTime> times(const std::string& csv, const std::string& lab) const {
    folder_.write("times.csv", csv);
    auto read = read_given_times(folder_.path() / "times.csv", lab, course_);
    if (!read) FAIL(read.error().what);
    return *std::move(read);
  }
  std::string time_problem(const std::string& csv, const std::string& lab) const {
    folder_.write("times.csv", csv);
    return problem_of(read_given_times(folder_.path() / "times.csv", lab, course_));
  }
  std::string text(Instant at) const { return course_.zone.text(at); }

 private:
  template <class Read>
  static std::string problem_of(const Read& read) {
    REQUIRE_FALSE(read.has_value());
    CHECK(read.error().code == "WG-G75");
    return std::to_string(read.error().where->line) + ": " + read.error().what;
  }

  CourseFolder folder_;
  Course course_;
};

}  // namespace

TEST_CASE("manual points: a byte-order mark, semicolons, quotes, decimal commas, blanks and empty rows") {
  const Files files;
  const auto marks = files.marks(
      "\xEF\xBB\xBFSubmission;LAB;Points;item;Comment\r\n"
      " ada ;02-tiled-matmul;8,5;report;\"clear; \"\"well\"\" done,\nwith figures\"\r\n"
      ";;;;\r\nbob;01;-2;;\r\ncid;01;;;see me\r\ndan;01;;;\r\neve;02;+1.25;;\r\n");
  REQUIRE(marks.size() == 4);  // dan is not graded yet
  CHECK(marks[0].student.text == "ada");
  CHECK(marks[0].points == 8.5);
  CHECK(marks[0].item == "report");
  CHECK(marks[0].comment == "clear; \"well\" done,\nwith figures");
  CHECK(marks[1].points == -2.0);
  CHECK(marks[1].lab == "01-memory-types");
  CHECK_FALSE(marks[2].points.has_value());
  CHECK(marks[2].comment == "see me");
  CHECK(marks[3].points == 1.25);
  CHECK(marks[3].student.where.line == 8);
  CHECK(files.marks("email,points\na@x,3\n", "02-tiled-matmul").front().lab == "02-tiled-matmul");
}

TEST_CASE("manual points: mistakes are reported with their line") {
  const Files files;
  CHECK_THAT(files.mark_problem(""), contains("is empty"));
  CHECK_THAT(files.mark_problem("name,lab,points\n"), contains("1: has no column `submission` or `email`"));
  CHECK_THAT(files.mark_problem("submission,points\nada,1\n"), contains("1: has no column `lab`"));
  CHECK_THAT(files.mark_problem("submission,lab,grade\n"),
             contains("1: has no column `points` or `comment`"));
  CHECK_THAT(files.mark_problem("submission,lab,points\nada,02-tiled-matmlu,1\n"),
             contains("2: names the lab \"02-tiled-matmlu\"") && contains("did you mean `02-tiled-matmul`?"));
  CHECK_THAT(files.mark_problem("submission,lab,points\n,02,1\n"), contains("2: names no student"));
  CHECK_THAT(files.mark_problem("submission,lab,points\nada,02,\"1\n"), contains("line 2"));
  for (const std::string points :
       {"ten", "1e3", "nan", "inf", "1,000.5", "--1", "+-1", "5 points", "=1+1", "10000000"}) {
    INFO(points);
    CHECK_THAT(files.mark_problem("submission,lab,points\n\nada,02,\"" + points + "\"\n"),
               contains("3: has the points \"" + points + "\", which is no number"));
  }
}

TEST_CASE("times: the instructor's list, and Moodle's grading worksheet") {
  const Files files;
  const auto list = files.times(
      "submission,handed_in\nada,2026-11-21 10:12\nbob,2026-11-21 10:12 +03:00\ncid,\n", "02-tiled-matmul");
  REQUIRE(list.size() == 2);
  CHECK(files.text(list[0].at) == "2026-11-21 10:12 +01:00");
  CHECK(files.text(list[1].at) == "2026-11-21 08:12 +01:00");
  CHECK(list[0].source == "instructor's list");
  const auto moodle = files.times(
      "Identifier,\"Full name\",Status,Grade,\"Maximum grade\",\"Last modified (submission)\",\"Last "
      "modified (grade)\"\n"
      "\"Participant 123\",\"Ada L.\",\"Submitted for grading\",,100.00,\"Saturday, 21 November 2026, 10:12 "
      "AM\",-\n"
      "\"Participant 124\",\"Bob\",\"No submission\",,100.00,-,-\n",
      "02-tiled-matmul");
  REQUIRE(moodle.size() == 1);
  CHECK(moodle[0].student.text == "123");
  CHECK(moodle[0].source == "Moodle");
  CHECK(files.text(moodle[0].at) == "2026-11-21 10:12 +01:00");
}

TEST_CASE("times: mistakes are reported with their line") {
  const Files files;
  CHECK_THAT(files.time_problem("submission,time\nada,1\n", "02-tiled-matmul"),
             contains("1: has no column `handed_in`"));
  CHECK_THAT(files.time_problem("submission,handed_in\nada,21.11.2026\n", "02-tiled-matmul"),
             contains("2: has the time \"21.11.2026\" when it should be"));
  CHECK_THAT(files.time_problem("submission,handed_in\n,2026-11-21 10:12\n", "02-tiled-matmul"),
             contains("2: names no student"));
}

}  // namespace csv_files_test
