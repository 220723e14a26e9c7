// The option --course of `grade` and `export`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/command.hpp"
#include "app/output.hpp"
#include "base/expected.hpp"
#include "course/course.hpp"
#include "course/grades.hpp"
#include "runner/kit_paths.hpp"
#include "schedule/submissions.hpp"

namespace grader::app {

void add_course_option(Subcommand command, std::string& file);

/// The course in the file; nullopt if `file` is empty. Call it before other threads exist.
Expected<std::optional<course::Course>, Diagnostic> course_named(const std::string& file);

/// Why the course cannot be applied to these submissions: it names a lab or a student that does not exist.
std::optional<Diagnostic> mismatch(const course::Course& course, const std::string& file, const KitPaths& kit,
                                   const std::vector<Submission>& submissions);

/// Writes the course's grades into `dir` and shows them, unless the output is for programs. Returns an exit
/// code if that fails.
std::optional<int> grade_course(const std::string& dir, const course::Course& course, bool is_shown,
                                const Console& console);

}  // namespace grader::app
