// The students of a course, and which of them an identifier means. Pure. Covered by
// course_grades/students_test.cpp.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "course/course.hpp"
#include "export/class_results.hpp"

namespace grader::course {

/// A student is a submission, by its id, or a person of the course's list without one.
class Students {
 public:
  /// The course's list adds to what is known about submissions, and students without one.
  Students(const ClassResults& results, const Course& course);

  /// By id: the identity as far as it is known.
  const std::map<std::string, Identity>& all() const { return all_; }

  /// The id of the student with this id, e-mail address or other identifier. The error is WG-G74 or WG-G75 at
  /// the place where the instructor wrote the name: it is unknown or ambiguous.
  Expected<std::string, Diagnostic> find(const NamedStudent& named) const;

 private:
  void add_identifiers(const std::string& id, const Identity& who);

  std::map<std::string, Identity> all_;
  std::map<std::string, std::set<std::string>> ids_;  ///< by identifier
};

}  // namespace grader::course
