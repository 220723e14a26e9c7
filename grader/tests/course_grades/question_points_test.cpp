#include "course/question_points.hpp"

#include "catch.hpp"
#include "course_grades/course_fixture.hpp"

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
  CHECK(judge_answers(misspelled, 10).reason ==
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

TEST_CASE("who hands in nothing, or has no grade, gets no points for questions; the maximum stays") {
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
