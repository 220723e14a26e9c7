// The CSV files that course.json names. Covered by course_grades/csv_files_test.cpp.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "course/course.hpp"

namespace grader::course {

/// The rows of a file of manual points, for `lab` unless the file has a column `lab`. Columns: a student
/// (`submission`, `email`, …), `points`, `comment`, `item`. The error is WG-G75 with the line.
Expected<std::vector<ManualMark>, Diagnostic> read_manual_marks(const std::filesystem::path& file,
                                                                const std::string& lab, const Course& course);

/// The rows of a file of times, likewise. Columns: a student, `handed_in` (or `submitted_at`, or Moodle's
/// `Last modified (submission)`). Rows without a time are left out.
Expected<std::vector<GivenTime>, Diagnostic> read_given_times(const std::filesystem::path& file,
                                                              const std::string& lab, const Course& course);

}  // namespace grader::course
