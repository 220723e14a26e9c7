// A course to grade: its files in a temporary folder, and made-up results.
#pragma once

#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "course/course.hpp"
#include "course/grades.hpp"

namespace testing {

/// A valid course.json that tests modify.
nlohmann::ordered_json small_course();

class CourseFolder {
 public:
  CourseFolder() : folder_("course") {}

  std::filesystem::path path() const { return folder_.path(); }
  void write(const std::string& name, const std::string& text) const;
  grader::Expected<grader::course::Course, grader::Diagnostic> load(
      const nlohmann::ordered_json& course) const;
  /// Fails the test if the course is invalid.
  grader::course::Course loaded(const nlohmann::ordered_json& course) const;
  /// "course.json:3: …": what loading complains about.
  std::string complaint(const nlohmann::ordered_json& course) const;

 private:
  grader::TemporaryFolder folder_;
};

/// The results of a class: `points` of 100 by student and lab.
grader::ClassResults results_of(const std::map<std::string, std::map<std::string, double>>& points);

/// The outcome of answers.json with these answers to questions of 1 point each.
grader::QuestionsOutcome answered(const std::vector<grader::AnswerStatus>& answers);

/// Fails the test if the grades cannot be computed.
grader::course::CourseGrades graded(const grader::course::Course& course,
                                    const grader::ClassResults& results);

/// The grade of a student, who must exist.
const grader::course::StudentGrade& grade_of(const grader::course::CourseGrades& grades,
                                             const std::string& student);

/// The texts of the reasons, with their effects.
std::vector<std::string> texts(const std::vector<grader::course::Reason>& reasons);

}  // namespace testing
