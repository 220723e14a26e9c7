#include "pages/course_html.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "course/renderings.hpp"
#include "pages/class_sections.hpp"
#include "pages/html.hpp"
#include "report/numbers.hpp"

namespace grader::pages {
namespace {

using course::LabGrade;
using course::Reason;
using course::StudentGrade;

std::string percent_html(double percent) { return points_text(percent) + " %"; }

std::string percent_cell(const std::optional<double>& percent) {
  return percent ? number_cell(*percent, percent_html(*percent)) : empty_cell();
}

std::string points_cell(const std::optional<double>& points, double max_points) {
  return points ? number_cell(*points, points_html(*points, max_points)) : empty_cell();
}

std::string dropped_html(const LabGrade& lab) {
  return lab.is_dropped ? " <span class=\"of\">does not count</span>" : "";
}

std::string lab_cell(const LabGrade* lab) {
  if (lab == nullptr || !lab->points) return empty_cell();
  return number_cell(*lab->points, points_html(*lab->points, lab->max_points) + dropped_html(*lab));
}

/// "+7.5", "−10": with its sign; empty for a reason that only informs.
std::string effect_html(double effect) {
  if (effect == 0) return "";
  return (effect > 0 ? "+" : "−") + points_text(std::abs(effect));
}

/// A row per reason. Comments of the staff are among them, so they are not cut.
std::string reasons_table(const std::string& caption, const std::vector<Reason>& reasons,
                          std::string_view unit) {
  std::string rows;
  for (const Reason& reason : reasons)
    rows += "<tr>" + row_heading(text(reason.text)) + number_cell(reason.effect, effect_html(reason.effect)) +
            "</tr>\n";
  return rows.empty() ? "" : table(caption, {{"reason"}, {unit, true}}, rows);
}

std::string labs_table(const StudentGrade& grade) {
  std::string rows;
  for (const LabGrade& lab : grade.labs)
    rows += "<tr>" + row_heading(text(lab.lab) + dropped_html(lab)) +
            (lab.automatic ? number_cell(*lab.automatic, points_text(*lab.automatic)) : empty_cell()) +
            points_cell(lab.points, lab.max_points) +
            percent_cell(lab.points ? std::optional(lab.percent()) : std::nullopt) + "</tr>\n";
  return table("Labs of the course",
               {{"lab"}, {"automatic points", true}, {"points", true}, {"percent", true}}, rows);
}

std::string student_cells(const StudentGrade& student, const std::vector<std::string>& labs) {
  std::string cells = percent_cell(student.percent);
  for (const std::string& lab : labs) cells += lab_cell(student.find(lab));
  return cells;
}

std::string notes_html(const std::vector<std::string>& notes) {
  std::string items;
  for (const std::string& note : notes) items += "<li>" + text(note) + "</li>\n";
  return items.empty() ? "" : "<p>Notes:</p>\n<ul>\n" + items + "</ul>\n";
}

}  // namespace

const StudentGrade* course_grade(const ReportInput& input, const std::string& student) {
  if (!input.course) return nullptr;
  const auto& students = input.course->grades.students;
  const auto found = std::find_if(students.begin(), students.end(),
                                  [&](const StudentGrade& one) { return one.student == student; });
  return found == students.end() ? nullptr : &*found;
}

std::string course_grade_section(const StudentGrade* grade) {
  if (grade == nullptr) return {};
  const std::string percent = grade->percent ? percent_html(*grade->percent) : "no percentage yet";
  return section("course-grade", "Grade in the course",
                 "<p class=\"score\"><strong>" + text(percent) + "</strong></p>\n" +
                     reasons_table("Reasons of the percentage", grade->reasons, "percent") +
                     labs_table(*grade));
}

std::string lab_grade_html(const StudentGrade* grade, const std::string& lab) {
  const LabGrade* of_lab = grade == nullptr ? nullptr : grade->find(lab);
  if (of_lab == nullptr || of_lab->reasons.empty()) return {};
  std::string html = "<h3>Points in the course</h3>\n";
  if (of_lab->points)
    html += fmt::format("<p><strong>{}</strong> points{}</p>\n",
                        points_html(*of_lab->points, of_lab->max_points), dropped_html(*of_lab));
  return html + reasons_table("Rules and marks for " + lab, of_lab->reasons, "points");
}

std::string course_section(const ReportInput& input) {
  if (!input.course) return {};
  const course::StoredGrades& course = *input.course;
  std::vector<std::string> labs = course.grades.graded;
  std::erase_if(labs, [&](const std::string& lab) {
    const auto& shown = input.all.summary.labs;
    return std::find(shown.begin(), shown.end(), lab) == shown.end();
  });
  std::vector<Column> columns = {{"student"}, {"course", true}};
  for (const std::string& lab : labs) columns.push_back({lab, true});
  std::string rows;
  for (const StudentGrade& student : course.grades.students) {
    std::string name = submission_link(input.all, student.student);
    if (!student.who.name.empty()) name += " <span class=\"of\">" + text(student.who.name, 200) + "</span>";
    rows += "<tr>" + row_heading(name) + student_cells(student, labs) + "</tr>\n";
  }
  const std::string title = course.title.empty() ? "" : "<p>" + text(course.title) + "</p>\n";
  return title + notes_html(course.grades.warnings) +
         table("Grades by the rules of the course", columns, rows, "class=\"sortable\"");
}

}  // namespace grader::pages
