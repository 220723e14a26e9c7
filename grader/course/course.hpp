// course.json (schema/course.schema.json): an instructor's rules that turn the results of a class into
// grades, and the CSV files that it names. Pure data, except for load_course(). Covered by
// course_grades/load_course_test.cpp; the rules are explained in handout/instructor/course.md.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/expected.hpp"
#include "course/time_zone.hpp"
#include "export/roster.hpp"

namespace grader::course {

struct LatePolicy {
  double percent_per_day = 0;  ///< of the points that the hand-in earned
  int grace_minutes = 0;
  std::optional<int> hard_end_days;  ///< hand-ins that are later get no points
};

struct CourseLab {
  std::string id;
  double weight = 1;
  std::optional<double> extra_credit;     ///< percentage points for full marks; such a lab has no weight
  double manual_points = 0;               ///< maximum of the manually graded part
  std::optional<double> question_points;  ///< for right answers to all questions of the lab
  std::optional<Instant> due;
  LatePolicy late;
};

/// A student as the instructor wrote it, and where: for messages about students who do not exist.
struct NamedStudent {
  std::string text;
  SourceLocation where;
  std::string path;  ///< in course.json: "extensions[2].student"; empty in a CSV file
};

struct Extension {
  NamedStudent student;
  std::string lab;             ///< empty: all labs
  std::optional<Instant> due;  ///< instead of the lab's
  int days = 0;                ///< or so many days after the lab's
  std::string reason;
};

/// One row of a CSV file with manual points.
struct ManualMark {
  NamedStudent student;
  std::string lab;
  std::string item;  ///< what the points are for; can be empty
  std::optional<double> points;
  std::string comment;
};

/// One row of a CSV file with times of hand-in.
struct GivenTime {
  NamedStudent student;
  std::string lab;
  Instant at;
  std::string source;  ///< "Moodle", "instructor's list"
};

struct Course {
  std::string title;
  std::string sha256;  ///< of course.json
  TimeZone zone;
  std::vector<CourseLab> labs;
  int drop_lowest = 0;
  std::vector<Extension> extensions;
  std::vector<ManualMark> manual;
  std::vector<GivenTime> handed_in;
  Roster students;  ///< who takes the course, by the submission's id or another identifier

  const CourseLab* find_lab(const std::string& id) const;
};

/// Reads course.json and its CSV files, whose paths are relative to it. Call it before other threads exist
/// (TimeZone::named). Errors: WG-G74 for course.json, WG-G75 for a CSV file, WG-G57 for the list of students.
Expected<Course, Diagnostic> load_course(const std::filesystem::path& file);

/// A WG-G75 about a line of a CSV file.
Diagnostic wrong_row(const SourceLocation& where, std::string what);

}  // namespace grader::course
