#include "course_grades/course_fixture.hpp"

#include <algorithm>

#include "catch.hpp"
#include "course/renderings.hpp"
#include "report/sample.hpp"

namespace testing {

using namespace grader;
using namespace grader::course;

nlohmann::ordered_json small_course() {
  return nlohmann::ordered_json::parse(R"({
    "schema": "warpgrade.course/1",
    "title": "CUDA, autumn 2026",
    "time_zone": "+01:00",
    "late": {"percent_per_day": 10, "grace_minutes": 15, "hard_end_days": 7},
    "labs": [
      {"lab": "01-memory-types", "weight": 1},
      {"lab": "02-tiled-matmul", "weight": 3, "due": "2026-11-20 23:59"},
      {"lab": "06-min-plus", "extra_credit": 5}
    ]
  })");
}

void CourseFolder::write(const std::string& name, const std::string& text) const {
  REQUIRE(write_file_atomically(path() / name, text));
}

Expected<Course, Diagnostic> CourseFolder::load(const nlohmann::ordered_json& course) const {
  write("course.json", course.dump(2));
  return load_course(path() / "course.json");
}

Course CourseFolder::loaded(const nlohmann::ordered_json& course) const {
  auto made = load(course);
  if (!made) FAIL(made.error().what);
  return *std::move(made);
}

std::string CourseFolder::complaint(const nlohmann::ordered_json& course) const {
  const auto made = load(course);
  REQUIRE_FALSE(made.has_value());
  const Diagnostic& problem = made.error();
  const std::string file = std::filesystem::path(problem.where->file).filename().string();
  return problem.code + " " + file + ":" + std::to_string(problem.where->line) + ": " + problem.what;
}

ClassResults results_of(const std::map<std::string, std::map<std::string, double>>& points) {
  ClassResults all;
  for (const auto& [student, labs] : points) {
    GradedSubmission& one = all.submissions.emplace_back();
    one.id = one.file_name = student;
    for (const auto& [lab, score] : labs) {
      Result result = accepted_result();
      result.submission = student;
      result.lab = lab;
      result.score.score = score;
      all.summary.rows.push_back(class_row(result, "results/" + student + "/" + lab + ".json"));
      one.results.push_back(std::move(result));
      auto& known = all.summary.labs;
      if (std::find(known.begin(), known.end(), lab) == known.end()) known.push_back(lab);
    }
  }
  std::sort(all.summary.labs.begin(), all.summary.labs.end());
  all.summary.expected_rows = all.summary.rows.size();
  return all;
}

QuestionsOutcome answered(const std::vector<AnswerStatus>& answers) {
  QuestionsOutcome outcome;
  outcome.name = "ada";
  for (const AnswerStatus status : answers)
    outcome.answers.push_back({"q" + std::to_string(outcome.answers.size() + 1), status,
                               status == AnswerStatus::right ? 1.0 : 0.0, 1});
  return outcome;
}

CourseGrades graded(const Course& course, const ClassResults& results) {
  auto grades = course_grades(course, results);
  if (!grades) FAIL(grades.error().what);
  return *std::move(grades);
}

const StudentGrade& grade_of(const CourseGrades& grades, const std::string& student) {
  const auto found = std::find_if(grades.students.begin(), grades.students.end(),
                                  [&](const StudentGrade& one) { return one.student == student; });
  if (found == grades.students.end()) FAIL("no student " + student);
  return *found;
}

std::vector<std::string> texts(const std::vector<Reason>& reasons) {
  std::vector<std::string> all;
  for (const Reason& reason : reasons) all.push_back(reason_text(reason, kPoints));
  return all;
}

}  // namespace testing
