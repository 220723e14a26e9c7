#include "course/students.hpp"

#include "catch.hpp"
#include "course_grades/course_fixture.hpp"

namespace students_test {

using namespace grader;
using namespace grader::course;
using namespace testing;

namespace {

/// A class from Gradescope: a group and a single student.
ClassResults gradescope_class() {
  ClassResults results =
      results_of({{"submission_5", {{"02-tiled-matmul", 100}}}, {"submission_6", {{"02-tiled-matmul", 50}}}});
  const Identity ada{.name = "Ada", .email = "ada@x", .sis_id = "007"}, bob{.name = "Bob", .email = "bob@x"};
  results.submissions[0].identity = ada;
  results.submissions[1].identity = {.name = "Cid", .email = "cid@x", .sis_id = "007"};
  results.summary.hand_ins["submission_5"].people = {ada, bob};
  return results;
}

NamedStudent named(const std::string& text, int line = 3) { return {text, {"marks.csv", line}, ""}; }

}  // namespace

TEST_CASE("a student is found by the submission's id and by the LMS's identifiers") {
  const Students students(gradescope_class(), CourseFolder().loaded(small_course()));
  CHECK(*students.find(named("submission_6")) == "submission_6");
  CHECK(*students.find(named("ada@x")) == "submission_5");
  CHECK(*students.find(named("bob@x")) == "submission_5");
  CHECK(students.all().at("submission_6").name == "Cid");
}

TEST_CASE("an unknown or ambiguous student is an error at the instructor's line") {
  const Students students(gradescope_class(), CourseFolder().loaded(small_course()));
  const auto unknown = students.find(named("submission_7"));
  REQUIRE_FALSE(unknown.has_value());
  CHECK(unknown.error().code == "WG-G75");
  CHECK(unknown.error().where->line == 3);
  CHECK_THAT(unknown.error().what,
             contains("names the student \"submission_7\"") && contains("did you mean"));
  CHECK_THAT(students.find(named("007")).error().what,
             contains("several submissions: submission_5 and submission_6"));
  const auto extension = students.find({"zoe", {"course.json", 0}, "extensions[2].student"});
  CHECK(extension.error().code == "WG-G74");
  CHECK_THAT(extension.error().what, contains("`extensions[2].student` names the student \"zoe\""));
  CHECK_THAT(students.find(named("\x1b[31m")).error().what, !contains("\x1b"));
}

TEST_CASE("the course's list adds names, and students without a submission") {
  const CourseFolder folder;
  folder.write("students.csv", "Full name,Email address\nAda L.,ada@x\nBob B.,bob@x\nZoe Q.,zoe@x\n");
  auto json = small_course();
  json["students"] = {{"file", "students.csv"}, {"match", "Email address"}};
  const Students students(gradescope_class(), folder.loaded(json));
  REQUIRE(students.all().size() == 3);
  CHECK(students.all().at("zoe@x").name == "Zoe Q.");
  CHECK(students.all().at("submission_5").name == "Ada");  // what the LMS states is kept
  CHECK(*students.find(named("zoe@x")) == "zoe@x");
  CHECK(*students.find(named("bob@x")) == "submission_5");
}

TEST_CASE("a row of the course's list that means several submissions adds no student") {
  const CourseFolder folder;
  folder.write("students.csv", "sid,name\n007,Ada\n");
  auto json = small_course();
  json["students"] = {{"file", "students.csv"}, {"match", "sid"}};
  const Students students(gradescope_class(), folder.loaded(json));
  CHECK(students.all().size() == 2);
  CHECK_FALSE(students.find(named("007")).has_value());
}

}  // namespace students_test
