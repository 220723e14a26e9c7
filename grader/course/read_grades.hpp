// Reads DIR/course/grades.json back, for reports. The file can be damaged, and names and comments in it are
// untrusted. Covered by course_grades/read_grades_test.cpp.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "course/grades.hpp"

namespace grader::course {

struct StoredGrades {
  std::string title;    ///< of the course; can be empty
  CourseGrades grades;  ///< without due times and times of hand-in, which the reasons state where they matter
};

/// nullopt: the class has no course. The error is WG-G55.
Expected<std::optional<StoredGrades>, Diagnostic> read_grades(const std::filesystem::path& dir);

}  // namespace grader::course
