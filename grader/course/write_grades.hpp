// The files of a course's grades. Covered by course_grades/renderings_test.cpp.
#pragma once

#include <filesystem>

#include "course/grades.hpp"

namespace grader::course {

/// Computes the grades of the class in `dir`, which `warpgrade grade` wrote, and writes
/// DIR/course/grades.json and DIR/course/gradebook.csv. Errors as read_class() and course_grades(), and
/// WG-G21: not writable.
Expected<CourseGrades, Diagnostic> write_grades(const std::filesystem::path& dir, const Course& course);

}  // namespace grader::course
