#include "course/apply.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "course/renderings.hpp"
#include "report/numbers.hpp"

namespace grader::course {
namespace {

/// The result of a lab that was not handed in.
Result nothing(const std::string& submission, const LabGrade& grade) {
  Result result;
  result.submission = submission;
  result.lab = grade.lab;
  result.score.status = ResultStatus::rejected;
  result.score.verdict = Verdict::rejected;
  result.score.max_score = grade.max_points;
  return result;
}

Adjustment adjustment_of(const LabGrade& grade, const Result& result) {
  Adjustment made{to_cents(*grade.points - *grade.automatic),
                  to_cents(grade.max_points - result.score.max_score),
                  {},
                  {}};
  for (const Reason& reason : grade.reasons) {
    if (reason.is_for_questions) {
      made.questions =
          QuestionPoints{grade.questions->points, grade.questions->max_points, reason_text(reason, kPoints)};
      made.points = to_cents(made.points - made.questions->points);
      made.max_points = to_cents(made.max_points - made.questions->max_points);
      continue;
    }
    made.reasons.push_back(reason_text(reason, kPoints));
    made.reasons_withheld.push_back(reason.text);
  }
  return made;
}

void apply(const LabGrade& grade, GradedSubmission& one) {
  auto found = std::find_if(one.results.begin(), one.results.end(),
                            [&](const Result& result) { return result.lab == grade.lab; });
  if (!grade.points) return;  // without a grade, exports treat the lab as they do without a course
  if (found == one.results.end()) found = one.results.insert(found, nothing(one.id, grade));
  Adjustment adjustment = adjustment_of(grade, *found);
  found->score.score = *grade.points;
  found->score.max_score = grade.max_points;
  if (adjustment.has_rules() || adjustment.questions) one.adjustments[grade.lab] = std::move(adjustment);
}

std::vector<std::string> course_lines(const StudentGrade& grade) {
  std::vector<std::string> lines;
  if (grade.percent) lines.push_back(fmt::format("course: {} %", points_text(*grade.percent)));
  for (const Reason& reason : grade.reasons) lines.push_back("course: " + reason_text(reason, kPercent));
  return lines;
}

}  // namespace

ClassResults with_course_grades(ClassResults results, const CourseGrades& grades) {
  const auto is_foreign = [&](const std::string& lab) {
    return std::find(grades.graded.begin(), grades.graded.end(), lab) == grades.graded.end();
  };
  std::erase_if(results.summary.labs, is_foreign);
  std::erase_if(results.summary.rows, [&](const ClassRow& row) { return is_foreign(row.lab); });
  for (const StudentGrade& grade : grades.students) {
    auto found = std::find_if(results.submissions.begin(), results.submissions.end(),
                              [&](const GradedSubmission& one) { return one.id == grade.student; });
    if (found == results.submissions.end()) {
      found = std::find_if(results.submissions.begin(), results.submissions.end(),
                           [&](const GradedSubmission& one) { return one.id > grade.student; });
      found =
          results.submissions.insert(found, GradedSubmission{grade.student, "", grade.who, "", {}, {}, {}});
    }
    std::erase_if(found->results, [&](const Result& result) { return is_foreign(result.lab); });
    for (const LabGrade& lab : grade.labs) apply(lab, *found);
    std::sort(found->results.begin(), found->results.end(), [&](const Result& one, const Result& other) {
      const auto place = [&](const std::string& lab) {
        return std::find(results.summary.labs.begin(), results.summary.labs.end(), lab);
      };
      return place(one.lab) < place(other.lab);
    });
    found->course_lines = course_lines(grade);
  }
  return results;
}

}  // namespace grader::course
