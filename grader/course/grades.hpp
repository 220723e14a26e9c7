// From the results of a class to the grades of a course. Pure: the same results, rules and marks give the
// same grades. Covered by course_grades/grades_test.cpp. The rules and their order are explained in
// handout/instructor/course.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "course/course.hpp"
#include "export/class_results.hpp"

namespace grader::course {

/// One line that explains a grade, for the student and the instructor.
struct Reason {
  std::string
      text;  ///< "10 % off for 1 day late: due …, handed in … (Moodle)"; can quote the instructor's files
  double effect = 0;  ///< on the lab's points, or on the course's percentage
  bool is_for_questions = false;
};

/// The points that the course gives for a student's answers to a lab's questions.
struct QuestionsGrade {
  double points = 0, max_points = 0;
};

/// When a lab was handed in, and who says so.
struct HandedIn {
  Instant at;
  std::string source;  ///< "Gradescope", "Moodle", "instructor's list", "receipt"
};

struct LabGrade {
  std::string lab;
  std::optional<double> automatic;          ///< points in result.json; nullopt: no grade, because of a fault
  std::optional<double> points;             ///< by all rules; nullopt: `automatic` is
  double max_points = 0;                    ///< with the manually graded part and the questions
  std::optional<QuestionsGrade> questions;  ///< nullopt: they give no points, or the lab has no grade
  bool is_dropped = false;
  std::optional<Instant> due;  ///< with the student's extension
  std::optional<HandedIn> handed_in;
  std::vector<Reason> reasons;

  /// Of max_points, from 0 to 100; above 100 with points of bonus tasks.
  double percent() const;
};

struct StudentGrade {
  std::string student;
  Identity who;
  std::optional<double> percent;  ///< of the course; nullopt: a lab has no grade
  std::vector<Reason> reasons;    ///< of the percentage
  std::vector<LabGrade> labs;     ///< those that the class was graded for, in the course's order

  const LabGrade* find(const std::string& lab) const;
};

struct CourseGrades {
  std::vector<StudentGrade> students;  ///< by id
  std::vector<std::string> graded;     ///< labs of the course that the results contain
  std::vector<std::string> warnings;   ///< for the instructor
};

/// Rounds to two decimals, half up.
double to_cents(double points);

/// The error is WG-G74 or WG-G75: a student does not exist, or is named twice for one mark.
Expected<CourseGrades, Diagnostic> course_grades(const Course& course, const ClassResults& results);

}  // namespace grader::course
