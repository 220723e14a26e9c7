#include "course/grades.hpp"

#include "catch.hpp"
#include "course_grades/course_fixture.hpp"

namespace grades_test {

using namespace grader;
using namespace grader::course;
using namespace testing;
using Json = nlohmann::ordered_json;

namespace {

const std::string kFirst = "01-memory-types", kSecond = "02-tiled-matmul", kExtra = "06-min-plus";

/// A course whose labs have no due time, so that lateness does not matter.
Json timeless_course() {
  Json course = small_course();
  course["labs"][1].erase("due");
  return course;
}

CourseGrades grades(const Json& course, const ClassResults& results) {
  return graded(CourseFolder().loaded(course), results);
}

}  // namespace

TEST_CASE("points are rounded half up to two decimals") {
  CHECK(to_cents(1.005) == 1.01);
  CHECK(to_cents(85.545) == 85.55);
  CHECK(to_cents(85.5449) == 85.54);
  CHECK(to_cents(0) == 0);
  CHECK(to_cents(-9.55) == -9.55);
  CHECK(to_cents(100) == 100);
}

TEST_CASE("the course's percentage is the weighted mean, with extra credit after it") {
  const auto made =
      grades(timeless_course(), results_of({{"ada", {{kFirst, 60}, {kSecond, 90}, {kExtra, 50}}}}));
  const StudentGrade& ada = grade_of(made, "ada");
  CHECK(ada.percent == 85.0);  // (1 × 60 + 3 × 90) / 4 + 5 × 50 %
  REQUIRE(ada.reasons.size() == 1);
  CHECK(ada.reasons[0].text == "extra credit for 06-min-plus: 50 % of 5 %");
  CHECK(ada.reasons[0].effect == 2.5);
  CHECK(made.warnings.empty());
  const auto full =
      grades(timeless_course(), results_of({{"ada", {{kFirst, 100}, {kSecond, 100}, {kExtra, 100}}}}));
  CHECK(grade_of(full, "ada").percent == 105.0);
}

TEST_CASE("the lowest percentage is dropped, and the extra credit is not") {
  Json course = timeless_course();
  course["drop_lowest"] = 1;
  const auto made = grades(course, results_of({{"ada", {{kFirst, 90}, {kSecond, 60}, {kExtra, 0}}},
                                               {"bob", {{kFirst, 50}, {kSecond, 50}, {kExtra, 0}}}}));
  const StudentGrade &ada = grade_of(made, "ada"), &bob = grade_of(made, "bob");
  CHECK(ada.percent == 90.0);
  CHECK(ada.find(kSecond)->is_dropped);
  CHECK(ada.reasons[0].text == "02-tiled-matmul does not count: lowest percentage (60 %)");
  CHECK(texts(ada.find(kSecond)->reasons) == std::vector<std::string>{"does not count: lowest percentage"});
  CHECK(bob.find(kSecond)->is_dropped);  // of equal ones, that with the larger weight
  CHECK(bob.percent == 50.0);
}

TEST_CASE("percentages decide what is dropped, not points, and one lab is kept") {
  Json course = timeless_course();
  course["drop_lowest"] = 1;
  ClassResults results = results_of({{"ada", {{kFirst, 30}, {kSecond, 40}}}});
  results.submissions[0].results[0].score.max_score = 30;
  CHECK(grade_of(grades(course, results), "ada").find(kSecond)->is_dropped);
  const auto single = grades(course, results_of({{"ada", {{kFirst, 30}}}}));
  CHECK_FALSE(grade_of(single, "ada").find(kFirst)->is_dropped);
  CHECK(grade_of(single, "ada").percent == 30.0);
}

TEST_CASE("a lab that the class was not graded for does not count yet") {
  const auto made = grades(timeless_course(), results_of({{"ada", {{kFirst, 60}}}}));
  CHECK(grade_of(made, "ada").percent == 60.0);
  CHECK(made.graded == std::vector<std::string>{kFirst});
  REQUIRE(made.warnings.size() == 1);
  CHECK_THAT(made.warnings[0], contains("do not include 02-tiled-matmul, 06-min-plus"));
  const auto only_extra = grades(timeless_course(), results_of({{"ada", {{kExtra, 60}}}}));
  CHECK_FALSE(grade_of(only_extra, "ada").percent.has_value());
}

TEST_CASE("a lab that is not in the course does not count, and is reported") {
  const auto made =
      grades(timeless_course(),
             results_of({{"ada", {{kFirst, 60}, {kSecond, 60}, {kExtra, 0}, {"04-coalescing", 100}}}}));
  CHECK(grade_of(made, "ada").labs.size() == 3);
  CHECK(made.warnings ==
        std::vector<std::string>{"04-coalescing is not in course.json: its results do not count"});
}

TEST_CASE("what was not handed in gets 0 points, also for a student without any submission") {
  const CourseFolder folder;
  folder.write("students.csv", "submission,name\nada,Ada\nzoe,\"Q, Zoe\"\n");
  Json course = timeless_course();
  course["students"] = {{"file", "students.csv"}};
  const auto made = graded(folder.loaded(course),
                           results_of({{"ada", {{kFirst, 80}, {kSecond, 80}}}, {"bob", {{kFirst, 40}}}}));
  CHECK(grade_of(made, "bob").percent == 10.0);
  CHECK(texts(grade_of(made, "bob").find(kSecond)->reasons) ==
        std::vector<std::string>{"nothing was handed in"});
  CHECK(grade_of(made, "zoe").percent == 0.0);
  CHECK(grade_of(made, "zoe").who.name == "Q, Zoe");
  CHECK(grade_of(made, "zoe").find(kFirst)->max_points == 100);
}

TEST_CASE("points of bonus tasks lift a lab's percentage above 100, and other points do not") {
  ClassResults results = results_of({{"ada", {{kFirst, 108}, {kSecond, 80}}}, {"bob", {{kFirst, 95}}}});
  Check bonus;
  bonus.is_bonus = true;
  bonus.points = 8;
  bonus.max_points = 10;
  results.submissions[0].results[0].score.checks.push_back(bonus);
  const CourseFolder folder;
  folder.write("marks.csv", "submission,lab,item,points,comment\nada,01,style,5,\nbob,01,style,9,\n");
  Json course = timeless_course();
  course["manual"] = {{{"file", "marks.csv"}}};
  const auto made = graded(folder.loaded(course), results);
  CHECK(grade_of(made, "ada").find(kFirst)->points == 108.0);
  CHECK(grade_of(made, "ada").find(kFirst)->percent() == 108.0);
  CHECK(grade_of(made, "bob").find(kFirst)->points == 100.0);
}

TEST_CASE("a fault of the grader gives no grade instead of a bad one") {
  ClassResults results = results_of({{"ada", {{kFirst, 80}, {kSecond, 0}}}});
  results.submissions[0].results[1].score.status = ResultStatus::grader_fault;
  const auto made = grades(timeless_course(), results);
  const StudentGrade& ada = grade_of(made, "ada");
  CHECK_FALSE(ada.find(kSecond)->points.has_value());
  CHECK_FALSE(ada.percent.has_value());
  CHECK(ada.reasons[0].text == "no percentage: 02-tiled-matmul has no grade");
  ClassResults interrupted = results_of({{"ada", {{kFirst, 80}, {kSecond, 80}}}, {"bob", {{kFirst, 80}}}});
  interrupted.summary.interrupted = true;
  CHECK_FALSE(grade_of(grades(timeless_course(), interrupted), "bob").percent.has_value());
}

TEST_CASE("the late deduction comes first, then manual points, and nothing is below 0 or above the maximum") {
  const CourseFolder folder;
  folder.write(
      "marks.csv",
      "submission,lab,item,points,comment\nada,02,report,8.5,clear\nada,02,style,-1,\nada,02,,,see me\n"
      "bob,02,,-99,copied\ncid,02,report,20,too much\n");
  folder.write("times.csv",
               "submission,handed_in\nada,2026-11-21 10:12\nbob,2026-11-22 10:12\ncid,2026-11-20 10:12\n");
  Json course = small_course();
  course["labs"][1]["manual_points"] = 10;
  course["manual"] = {{{"file", "marks.csv"}}};
  course["handed_in"] = {{{"file", "times.csv"}, {"lab", "02"}}};
  const auto made =
      graded(folder.loaded(course),
             results_of({{"ada", {{kSecond, 95.55}}}, {"bob", {{kSecond, 60}}}, {"cid", {{kSecond, 100}}}}));
  const LabGrade& ada = *grade_of(made, "ada").find(kSecond);
  CHECK(ada.automatic == 95.55);
  CHECK(ada.points == 93.49);  // 95.55 - 9.56 + 8.5 - 1
  CHECK(ada.max_points == 110);
  CHECK(texts(ada.reasons) ==
        std::vector<std::string>{
            "10 % off for 1 day late: due 2026-11-20 23:59 +01:00, handed in 2026-11-21 10:12 +01:00 "
            "(instructor's list) (-9.56 points)",
            "report: clear (+8.5 points)", "style (-1 points)", "comment: see me"});
  const LabGrade& bob = *grade_of(made, "bob").find(kSecond);
  CHECK(bob.points == 0.0);
  CHECK(texts(bob.reasons).back() == "limited to the range from 0 to 110 points (+51 points)");
  CHECK(grade_of(made, "cid").find(kSecond)->points == 110.0);
  double sum = *bob.automatic;
  for (const Reason& reason : bob.reasons) sum += reason.effect;
  CHECK(to_cents(sum) == *bob.points);
}

TEST_CASE("a student named twice for one mark or time is an error, by whatever name") {
  const CourseFolder folder;
  folder.write("marks.csv", "submission,lab,points\nada,02,5\n");
  folder.write("more.csv", "email,lab,points\n\na@x,02,5\n");
  folder.write("times.csv", "submission,lab,handed_in\nada,02,2026-11-20 10:00\nada,02,2026-11-20 10:00\n");
  ClassResults results = results_of({{"ada", {{kSecond, 95}}}});
  results.submissions[0].identity.email = "a@x";
  Json course = timeless_course();
  course["manual"] = {{{"file", "marks.csv"}}, {{"file", "more.csv"}}};
  const auto marks = course_grades(folder.loaded(course), results);
  REQUIRE_FALSE(marks.has_value());
  CHECK(marks.error().where->line == 3);
  CHECK_THAT(marks.error().what, contains("repeats the row in ") && contains("marks.csv:2"));
  course.erase("manual");
  course["handed_in"] = {{{"file", "times.csv"}}};
  CHECK(course_grades(folder.loaded(course), results).error().where->line == 3);
}

TEST_CASE(
    "an extension for a student who does not exist is an error, and for all labs it moves each due time") {
  Json course = small_course();
  course["extensions"] = {{{"student", "ada"}, {"days", 2}, {"reason", "sick note"}}};
  const CourseFolder folder;
  CHECK_THAT(course_grades(folder.loaded(course), results_of({{"bob", {{kSecond, 95}}}})).error().what,
             contains("`extensions[0].student` names the student \"ada\""));
  ClassResults results = results_of({{"ada", {{kSecond, 95}}}});
  results.summary.hand_ins["ada"] = {.lms = "gradescope", .submitted_at = "2026-11-22 22:00:00 +01:00"};
  const auto made = graded(folder.loaded(course), results);
  CHECK(grade_of(made, "ada").find(kSecond)->points == 95.0);
  CHECK_THAT(texts(grade_of(made, "ada").find(kSecond)->reasons).at(0), contains("sick note"));
}

TEST_CASE("missing times are listed once for the instructor, without submissions that have no points") {
  const auto made =
      grades(small_course(),
             results_of({{"ada", {{kSecond, 95}}}, {"bob", {{kSecond, 5}}}, {"cid", {{kSecond, 0}}}}));
  CHECK(made.warnings.back() ==
        "02-tiled-matmul: no time of hand-in is known, so nothing is deducted; give the time in `handed_in`: "
        "ada, bob");
  CHECK(grade_of(made, "cid").find(kSecond)->reasons.empty());
  CHECK(grade_of(made, "ada").find(kSecond)->points == 95.0);
}

}  // namespace grades_test
