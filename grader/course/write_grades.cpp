#include "course/write_grades.hpp"

#include <fmt/format.h>

#include "base/files.hpp"
#include "course/renderings.hpp"
#include "report/result_json.hpp"

namespace grader::course {
namespace {

namespace fs = std::filesystem;

std::optional<Diagnostic> write(const fs::path& file, const std::string& bytes) {
  const auto written = write_file_atomically(file, bytes);
  if (written) return std::nullopt;
  return diagnose("WG-G21", fmt::format("cannot write {}: {}", file.string(), written.error()),
                  "free some disk space or allow writing there; then run the command again with --resume");
}

}  // namespace

Expected<CourseGrades, Diagnostic> write_grades(const fs::path& dir, const Course& course) {
  const auto results = read_class(dir);
  if (!results) return Unexpected{results.error()};
  auto grades = course_grades(course, *results);
  if (!grades) return grades;
  std::error_code ignored;  // the first write reports it
  fs::create_directories(dir / kCourseFolder, ignored);
  if (auto problem = write(dir / kCourseFolder / "grades.json", grades_json(course, *grades)))
    return Unexpected{*std::move(problem)};
  if (auto problem = write(dir / kCourseFolder / "gradebook.csv", grades_csv(*grades)))
    return Unexpected{*std::move(problem)};
  return grades;
}

}  // namespace grader::course
