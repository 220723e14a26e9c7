// The grades of a course as a file for programs, a table for spreadsheets, and a text for the terminal. Pure.
// Covered by course_grades/renderings_test.cpp, with golden files.
#pragma once

#include <string>

#include "course/course.hpp"
#include "course/grades.hpp"
#include "report/terminal.hpp"

namespace grader::course {

/// DIR/course/grades.json (schema/course-grades.schema.json). Ends with a line end.
std::string grades_json(const Course& course, const CourseGrades& grades);

/// DIR/course/gradebook.csv: one row per student; untrusted text cannot become a formula.
std::string grades_csv(const CourseGrades& grades);
/// The same for the students and labs of `selection`.
std::string grades_csv(CourseGrades grades, const ClassResults& selection);

/// An outline with a line per student and graded lab, the reasons below, and the warnings for the instructor.
std::string grades_text(const Course& course, const CourseGrades& grades, const Terminal& terminal);

/// "10 % off for 1 day late: … (-9.5 points)". `unit`: of Reason::effect, " points" or " %".
std::string reason_text(const Reason& reason, const char* unit);
inline constexpr const char* kPoints = " points";
inline constexpr const char* kPercent = " %";

}  // namespace grader::course
