#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "course/renderings.hpp"
#include "report/csv.hpp"
#include "report/numbers.hpp"

namespace grader::course {
namespace {

std::string decimals(const std::optional<double>& number) {
  return number ? fmt::format("{:.2f}", *number) : "";
}

std::string cell_of(const std::vector<Reason>& reasons, const char* unit) {
  std::string text;
  for (const Reason& reason : reasons) text += (text.empty() ? "" : "; ") + reason_text(reason, unit);
  return csv_cell(text);
}

/// The labs whose questions give points. Only these have a column for them.
std::set<std::string> labs_with_question_points(const CourseGrades& grades) {
  std::set<std::string> labs;
  for (const StudentGrade& student : grades.students)
    for (const LabGrade& lab : student.labs)
      if (lab.questions) labs.insert(lab.lab);
  return labs;
}

}  // namespace

std::string reason_text(const Reason& reason, const char* unit) {
  if (reason.effect == 0) return reason.text;
  return fmt::format("{} ({}{}{})", reason.text, reason.effect > 0 ? "+" : "", points_text(reason.effect),
                     unit);
}

std::string grades_csv(const CourseGrades& grades) {
  const std::set<std::string> asking = labs_with_question_points(grades);
  std::vector<std::string> header = {"submission", "name", "course percent", "course reasons"};
  for (const std::string& lab : grades.graded) {
    for (const char* column : {"points", "max points", "automatic points"})
      header.push_back(lab + " " + column);
    if (asking.contains(lab)) header.push_back(lab + " question points");
    for (const char* column : {"percent", "reasons"}) header.push_back(lab + " " + column);
  }
  std::string csv = csv_row(header);
  for (const StudentGrade& student : grades.students) {
    std::vector<std::string> row = {csv_cell(student.student), csv_cell(student.who.name),
                                    decimals(student.percent), cell_of(student.reasons, kPercent)};
    for (const LabGrade& lab : student.labs) {
      row.push_back(decimals(lab.points));
      row.push_back(decimals(lab.max_points));
      row.push_back(decimals(lab.automatic));
      if (asking.contains(lab.lab)) row.push_back(lab.questions ? decimals(lab.questions->points) : "");
      row.push_back(lab.points ? decimals(lab.percent()) : "");
      row.push_back(cell_of(lab.reasons, kPoints));
    }
    csv += csv_row(row);
  }
  return csv;
}

std::string grades_csv(CourseGrades grades, const ClassResults& selection) {
  const auto& labs = selection.summary.labs;
  const auto is_left_out = [&](const std::string& lab) {
    return std::find(labs.begin(), labs.end(), lab) == labs.end();
  };
  std::set<std::string> students;
  for (const GradedSubmission& one : selection.submissions) students.insert(one.id);
  std::erase_if(grades.graded, is_left_out);
  std::erase_if(grades.students, [&](const StudentGrade& one) { return !students.contains(one.student); });
  for (StudentGrade& one : grades.students)
    std::erase_if(one.labs, [&](const LabGrade& lab) { return is_left_out(lab.lab); });
  return grades_csv(grades);
}

}  // namespace grader::course
