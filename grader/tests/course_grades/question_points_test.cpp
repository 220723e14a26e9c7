#include "course/question_points.hpp"

#include "catch.hpp"
#include "course/apply.hpp"
#include "course/renderings.hpp"
#include "course_grades/course_fixture.hpp"
#include "export/formats.hpp"
#include "export/rules.hpp"
#include "export/sample_class.hpp"
#include "report/sample.hpp"
#include "schema_check.hpp"

namespace question_points_test {

using namespace grader;
using namespace grader::course;
using namespace testing;
using Json = nlohmann::ordered_json;

namespace {

constexpr AnswerStatus kRight = AnswerStatus::right, kWrong = AnswerStatus::wrong, kOpen = AnswerStatus::open,
                       kMissing = AnswerStatus::missing;
const std::string kLab = "02-tiled-matmul";

/// A class in which every student has 90 of 100 points, with these answers.
ClassResults class_with(const std::map<std::string, std::optional<QuestionsOutcome>>& answers) {
  std::map<std::string, std::map<std::string, double>> points;
  for (const auto& [student, outcome] : answers) points[student] = {{kLab, 90}};
  ClassResults all = results_of(points);
  for (GradedSubmission& one : all.submissions) one.results[0].questions = answers.at(one.id);
  return all;
}

/// A course with 10 points for the questions of the one lab.
Json asking_course() {
  Json course = small_course();
  course["labs"] = {{{"lab", kLab}, {"question_points", 10}}};
  return course;
}

}  // namespace

TEST_CASE("points of questions are scaled to those of the course, by the questions' own points") {
  QuestionsOutcome outcome = answered({kRight, kWrong, kMissing});
  CHECK(judge_answers(outcome, 10).points == 3.33);
  CHECK(judge_answers(outcome, 10).reason == "3.33 of 10 points for the questions: 1 of 3 right");
  CHECK(judge_answers(outcome, 10).note.empty());
  outcome.answers[0].points = outcome.answers[0].max_points = 6;
  CHECK(judge_answers(outcome, 10).points == 7.5);
  CHECK(judge_answers(answered({kRight, kRight}), 2.5).points == 2.5);
  CHECK(judge_answers(answered({}), 10).points == 0);
}

TEST_CASE("answers that give no points have a reason, and the instructor learns what to do") {
  const auto none = judge_answers({}, 10);
  CHECK(none.points == 0);
  CHECK(none.reason == "0 of 10 points for the questions: no answers.json was handed in");
  CHECK(none.note.empty());
  const auto open = judge_answers(answered({kRight, kOpen}), 10);
  CHECK(open.points == 5);
  CHECK_THAT(open.reason, contains("1 of 2 right, 1 open; an answer is open if the program's run lacks") &&
                              contains("the course staff can give points by hand"));
  CHECK_THAT(open.note, contains("give points in `manual`"));
  QuestionsOutcome other = answered({kMissing, kMissing});
  other.name.clear();
  other.problem = "answers.json is for the name \"bob\", but this submission's names are: ada";
  const auto refused = judge_answers(other, 10);
  CHECK(refused.points == 0);
  CHECK_THAT(refused.reason, contains("none of 2 graded: answers.json is for the name \"bob\"") &&
                                 contains("the course staff can"));
  CHECK_THAT(refused.note, contains("`--only changed`") && contains("`manual`"));
  QuestionsOutcome misspelled = answered({kRight});
  misspelled.problem = "answers.json answers the question \"q9\", which does not exist";
  CHECK(
      judge_answers(misspelled, 10).reason ==
      "10 of 10 points for the questions: 1 of 1 right; answers.json answers the question \"q9\", which does "
      "not exist");
}

TEST_CASE("points for questions are added to the lab's points and to its maximum") {
  QuestionsOutcome damaged = answered({kMissing, kMissing});
  damaged.name.clear();
  damaged.problem = "answers.json cannot be used: it is not JSON";
  const auto made = graded(CourseFolder().loaded(asking_course()),
                           class_with({{"ada", answered({kRight, kRight, kRight, kWrong})},
                                       {"bob", {}},
                                       {"cid", damaged},
                                       {"dan", answered({kOpen, kRight})},
                                       {"eve", answered({kOpen, kOpen})}}));
  const LabGrade& ada = *grade_of(made, "ada").find(kLab);
  CHECK(ada.automatic == 90.0);
  CHECK(ada.points == 97.5);
  CHECK(ada.max_points == 110);
  CHECK(ada.percent() == 88.64);
  CHECK(ada.questions->points == 7.5);
  CHECK(texts(ada.reasons) ==
        std::vector<std::string>{"7.5 of 10 points for the questions: 3 of 4 right (+7.5 points)"});
  CHECK(grade_of(made, "bob").find(kLab)->points == 90.0);
  CHECK(grade_of(made, "bob").find(kLab)->max_points == 110);
  REQUIRE(made.warnings.size() == 2);
  CHECK_THAT(made.warnings[0], contains("02-tiled-matmul: answers are open") && contains(": dan, eve"));
  CHECK_THAT(made.warnings[1], contains("02-tiled-matmul: answers.json was not graded") && contains(": cid"));
}

TEST_CASE("answers that are late lose the same share as the program") {
  Json course = asking_course();
  course["labs"][0]["due"] = "2026-11-20 23:59";
  ClassResults results = class_with({{"ada", answered({kRight, kWrong})}});
  results.summary.hand_ins["ada"] = {.lms = "gradescope", .submitted_at = "2026-11-21 10:00 +01:00"};
  const auto made = graded(CourseFolder().loaded(course), results);
  const LabGrade& late = *grade_of(made, "ada").find(kLab);
  CHECK(late.points == 85.5);  // 90 + 5 - 10 %
  CHECK(late.reasons[1].effect == -9.5);
  results.summary.hand_ins["ada"].submitted_at = "2026-12-20 10:00 +01:00";
  CHECK(grade_of(graded(CourseFolder().loaded(course), results), "ada").find(kLab)->points == 0.0);
}

TEST_CASE("who hands in nothing, or has no grade, gets no points for questions, and the maximum stays") {
  const CourseFolder folder;
  folder.write("students.csv", "submission\nzoe\n");
  Json course = asking_course();
  course["students"] = {{"file", "students.csv"}};
  ClassResults results = class_with({{"ada", answered({kRight})}, {"bob", answered({kRight})}});
  results.submissions[1].results[0].score.status = ResultStatus::grader_fault;
  const auto made = graded(folder.loaded(course), results);
  const LabGrade &zoe = *grade_of(made, "zoe").find(kLab), &bob = *grade_of(made, "bob").find(kLab);
  CHECK(zoe.points == 0.0);
  CHECK(zoe.max_points == 110);
  CHECK(texts(zoe.reasons) == std::vector<std::string>{"nothing was handed in"});
  CHECK_FALSE(bob.points.has_value());
  CHECK_FALSE(bob.questions.has_value());
}

TEST_CASE("text, table and file of the course's grades have the points for questions") {
  const Course course = CourseFolder().loaded(asking_course());
  const CourseGrades made =
      graded(course, class_with({{"ada", answered({kRight, kRight, kRight, kWrong})}, {"bob", {}}}));
  const std::string text = grades_text(course, made, plain());
  CHECK(text == golden("course-questions.txt", text));
  CHECK(grades_csv(made) ==
        "submission,name,course percent,course reasons,02-tiled-matmul points,02-tiled-matmul max points,"
        "02-tiled-matmul automatic points,02-tiled-matmul question points,02-tiled-matmul percent,"
        "02-tiled-matmul reasons\r\n"
        "ada,,88.64,,97.50,110.00,90.00,7.50,88.64,7.5 of 10 points for the questions: 3 of 4 right (+7.5 "
        "points)\r\n"
        "bob,,81.82,,90.00,110.00,90.00,0.00,81.82,0 of 10 points for the questions: no answers.json was "
        "handed "
        "in\r\n");
  const auto json = nlohmann::json::parse(grades_json(course, made));
  for (const std::string& problem : SchemaCheck::of("course-grades.schema.json").problems(json))
    FAIL_CHECK(problem);
  const auto& lab = json["students"][0]["labs"][0];
  CHECK(lab["questions"] == nlohmann::json({{"points", 7.5}, {"max_points", 10}}));
  CHECK(lab["reasons"][0]["points"] == 7.5);
}

TEST_CASE("exports have the questions as a check with the course's points") {
  ClassResults results = class_with({{"ada", answered({kRight, kRight, kRight, kWrong})}, {"bob", {}}});
  results.submissions[0].identity.email = "ada@x";
  const CourseFolder folder;
  folder.write("marks.csv", "submission,points,comment\nada,-2,late notes\n");
  Json course = asking_course();
  course["manual"] = {{{"file", "marks.csv"}}};
  const ClassResults all = with_course_grades(results, graded(folder.loaded(course), results));
  const std::string reason = "7.5 of 10 points for the questions: 3 of 4 right (+7.5 points)";
  const auto files = find_format("gradescope")->make(all, {});
  const auto json = nlohmann::json::parse(files->files.front().bytes);
  CHECK(gradescope_problems(files->files.front().bytes) == Problems{});
  CHECK(json["score"] == 95.5);
  CHECK_THAT(json["output"].get<std::string>(), contains("95.5 of 110 points\n" + reason + "\n"));
  const auto& tests = json["tests"];
  const auto &questions = tests[tests.size() - 2], &rules = tests[tests.size() - 1];
  CHECK(questions["name"] == "questions");
  CHECK(questions["score"] == 7.5);
  CHECK(questions["max_score"] == 10);
  CHECK(questions["status"] == "failed");
  CHECK_THAT(questions["output"].get<std::string>(),
             contains(reason + "\nq1: right\n") && contains("q4: wrong"));
  CHECK(rules["score"] == -2);
  CHECK(rules["max_score"] == 0);
  CHECK_THAT(rules["output"].get<std::string>(), !contains("questions"));
  const auto bob = nlohmann::json::parse(files->files.back().bytes);
  CHECK(bob["tests"].back()["name"] == "questions");
  CHECK(bob["tests"].back()["output"] == "0 of 10 points for the questions: no answers.json was handed in");
  for (const std::string format : {"prairielearn", "autolab", "junit"})
    CHECK_THAT(find_format(format)->make(all, {})->files.front().bytes, contains(reason));
  CHECK_THAT(find_format("canvas")->make(with_identities(all), {})->files.front().bytes,
             contains(",95.50\r\n") && contains(",110.00\r\n"));
}

TEST_CASE("names that attack stay text in the reasons") {
  QuestionsOutcome attack = answered({kMissing});
  attack.name.clear();
  attack.problem = "answers.json is for the name \"\x1b[31m\n=1+1\"";
  const ClassResults results = class_with({{"ada", attack}});
  const Course course = CourseFolder().loaded(asking_course());
  const CourseGrades made = graded(course, results);
  for (const std::string& text :
       {grades_text(course, made, plain()), grades_csv(made),
        find_format("gradescope")->make(with_course_grades(results, made), {})->files.front().bytes})
    CHECK_THAT(text, contains("answers.json is for the name") && !contains("\x1b") && !contains("u001b"));
}

TEST_CASE("without the key, answers change nothing") {
  Json course = asking_course();
  course["labs"][0].erase("question_points");
  const auto with = graded(CourseFolder().loaded(course), class_with({{"ada", answered({kOpen})}}));
  const auto without = graded(CourseFolder().loaded(course), class_with({{"ada", {}}}));
  for (const CourseGrades* made : {&with, &without}) {
    CHECK(grade_of(*made, "ada").find(kLab)->max_points == 100);
    CHECK(grade_of(*made, "ada").find(kLab)->reasons.empty());
    CHECK(made->warnings.empty());
  }
}

}  // namespace question_points_test
