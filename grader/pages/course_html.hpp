// The grades of a course on the pages. Pure. Covered by pages/course_html_test.cpp.
#pragma once

#include <string>

#include "pages/report.hpp"

namespace grader::pages {

/// The student's grade; nullptr: the class has no course, or the course does not contain the student.
const course::StudentGrade* course_grade(const ReportInput& input, const std::string& student);

/// The section of a submission's page: percentage, its reasons, a row per lab. Empty without a grade.
std::string course_grade_section(const course::StudentGrade* grade);

/// What the rules of the course made of a lab's points: manual marks with comments, lateness, questions.
/// Empty without a grade.
std::string lab_grade_html(const course::StudentGrade* grade, const std::string& lab);

/// Every student of the course, also those without a submission, and the notes for the instructor. Empty
/// without a course.
std::string course_section(const ReportInput& input);

}  // namespace grader::pages
