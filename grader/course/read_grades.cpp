#include "course/read_grades.hpp"

#include <set>

#include "base/files.hpp"
#include "lab/json_reader.hpp"
#include "report/result_json.hpp"

namespace grader::course {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxGradesBytes = std::size_t{64} << 20U;

std::optional<double> number_or_none(const JsonNode& node) {
  return node.is_null() ? std::nullopt : std::optional(node.number());
}

std::string text_or_none(const JsonNode& node) { return node.is_null() ? "" : node.any_text(); }

/// `unit`: the key of the effect.
std::vector<Reason> read_reasons(const JsonNode& list, const char* unit) {
  std::vector<Reason> reasons;
  for (const JsonNode& one : list.elements())
    reasons.push_back({one.at("text").any_text(), one.at(unit).number()});
  return reasons;
}

LabGrade read_lab_grade(const JsonNode& node) {
  LabGrade grade;
  grade.lab = node.at("lab").name();
  grade.automatic = number_or_none(node.at("automatic"));
  grade.points = number_or_none(node.at("points"));
  grade.max_points = node.at("max_points").number();
  if (const auto questions = node.find("questions"))
    grade.questions = QuestionsGrade{questions->at("points").number(), questions->at("max_points").number()};
  grade.is_dropped = node.at("dropped").boolean();
  grade.reasons = read_reasons(node.at("reasons"), "points");
  return grade;
}

StudentGrade read_student(const JsonNode& node) {
  StudentGrade grade;
  grade.student = node.at("student").any_text();
  grade.who.name = text_or_none(node.at("name"));
  grade.percent = number_or_none(node.at("percent"));
  grade.reasons = read_reasons(node.at("reasons"), "percent");
  for (const JsonNode& lab : node.at("labs").elements()) grade.labs.push_back(read_lab_grade(lab));
  return grade;
}

StoredGrades read_file_of_grades(const JsonNode& file) {
  file.at("schema").one_of({"warpgrade.course-grades/1"});
  StoredGrades stored;
  stored.title = text_or_none(file.at("title"));
  for (const JsonNode& lab : file.at("labs").elements())
    if (lab.at("graded").boolean()) stored.grades.graded.push_back(lab.at("lab").name());
  for (const JsonNode& warning : file.at("warnings").elements())
    stored.grades.warnings.push_back(warning.any_text());
  std::set<std::string> seen;
  for (const JsonNode& student : file.at("students").elements()) {
    stored.grades.students.push_back(read_student(student));
    if (!seen.insert(stored.grades.students.back().student).second)
      student.at("student").refuse("repeats a student");
  }
  return stored;
}

}  // namespace

Expected<std::optional<StoredGrades>, Diagnostic> read_grades(const fs::path& dir) {
  const fs::path file = dir / kCourseFolder / "grades.json";
  const auto unreadable = [&](const std::string& what) {
    return Unexpected{
        diagnose_file("WG-G55", file.string(), what,
                      "write it again with `warpgrade grade … --resume --course course.json`, or "
                      "remove the folder `course` to go without the course's grades")};
  };
  std::error_code error;
  if (!fs::exists(fs::symlink_status(file, error))) return std::optional<StoredGrades>();
  const auto bytes = read_file(file, kMaxGradesBytes);
  if (!bytes) return unreadable(bytes.error());
  try {
    const auto json = parse_json(*bytes);
    if (!json) return unreadable("is truncated or damaged: " + json.error().what);
    return std::optional(read_file_of_grades(JsonNode(*json)));
  } catch (const JsonProblem& problem) {
    return unreadable(problem.what());
  }
}

}  // namespace grader::course
