#include <algorithm>

#include <fmt/format.h>

#include "course/renderings.hpp"
#include "report/numbers.hpp"

namespace grader::course {
namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kMaxWarnings = 20;

std::string points_cell(const LabGrade& lab) {
  if (!lab.points) return "-";
  return points_text(*lab.points) + "/" + points_text(lab.max_points) + (lab.is_dropped ? " (dropped)" : "");
}

std::string percent_cell(const StudentGrade& student) {
  return student.percent ? points_text(*student.percent) + " %" : "-";
}

Ink ink_of(const LabGrade& lab) {
  if (!lab.points) return Ink::warning;
  return *lab.points >= lab.max_points ? Ink::good : Ink::bad;
}

/// An outline: a student, the labs below, and the reasons of each grade on lines of their own. In a window,
/// reasons are wrapped, because each of their words can matter.
class Outline {
 public:
  Outline(const CourseGrades& grades, const Terminal& terminal) : terminal_(terminal) {
    std::size_t grade = 0;
    for (const StudentGrade& student : grades.students) {
      names_ = std::max(names_, columns(printable(student.student, terminal.unicode)));
      for (const LabGrade& lab : student.labs) {
        names_ = std::max(names_, kIndent + columns(lab.lab));
        grade = std::max(grade, columns(points_cell(lab)));
      }
    }
    const std::size_t room = terminal.width - std::min(terminal.width, grade + kIndent);
    if (terminal.interactive) names_ = std::min(names_, std::max<std::size_t>(room, 1));
  }

  std::string student(const StudentGrade& one) const {
    std::string text = line(printable(one.student, terminal_.unicode), percent_cell(one), Ink::strong) +
                       reasons(one.reasons, kPercent, kIndent);
    for (const LabGrade& lab : one.labs)
      text += line(std::string(kIndent, ' ') + lab.lab, points_cell(lab), ink_of(lab)) +
              reasons(lab.reasons, kPoints, 2 * kIndent);
    return text;
  }

 private:
  std::string line(const std::string& name, const std::string& grade, Ink ink) const {
    return left(name, names_, terminal_) + "  " + paint(terminal_, ink, grade) + "\n";
  }

  std::string reasons(const std::vector<Reason>& all, const char* unit, std::size_t indent) const {
    std::string text;
    for (const Reason& reason : all) {
      const std::string whole = printable(reason_text(reason, unit), terminal_.unicode);
      const auto lines = terminal_.interactive
                             ? wrap(whole, terminal_.width - std::min(terminal_.width, indent + kIndent))
                             : std::vector<std::string>{whole};
      for (std::size_t i = 0; i < lines.size(); ++i)
        text += std::string(i == 0 ? indent : indent + kIndent, ' ') + lines[i] + "\n";
    }
    return text;
  }

  const Terminal& terminal_;
  std::size_t names_ = 0;
};

std::string warnings_text(const CourseGrades& grades, const Terminal& terminal) {
  std::string text;
  for (std::size_t i = 0; i < std::min(grades.warnings.size(), kMaxWarnings); ++i)
    for (const std::string& line :
         wrap("note: " + printable(grades.warnings[i], terminal.unicode), terminal.width))
      text += line + "\n";
  if (grades.warnings.size() > kMaxWarnings)
    text += fmt::format("note: {} more such notes are in course/grades.json\n",
                        grades.warnings.size() - kMaxWarnings);
  return text;
}

}  // namespace

std::string grades_text(const Course& course, const CourseGrades& grades, const Terminal& terminal) {
  const Outline outline(grades, terminal);
  std::string text = paint(terminal, Ink::strong,
                           course.title.empty() ? "Course" : printable(course.title, terminal.unicode)) +
                     "\n\n";
  for (const StudentGrade& student : grades.students) text += outline.student(student);
  const std::string warnings = warnings_text(grades, terminal);
  return text + (warnings.empty() ? "" : "\n" + warnings);
}

}  // namespace grader::course
