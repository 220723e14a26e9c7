// The results that `grade --out DIR` wrote, as the model for all exports. Pure data, except for read_class().
// Covered by export/class_results_test.cpp.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/expected.hpp"
#include "report/result.hpp"
#include "report/result_json.hpp"

namespace grader {

/// The points that a course gives for the answers to a lab's questions.
struct QuestionPoints {
  double points = 0, max_points = 0;
  std::string reason;  ///< "7.5 of 10 points for the questions: 6 of 8 right (+7.5 points)"
};

/// What the rules of a course changed in the grade of a lab (course/apply.hpp).
struct Adjustment {
  double points = 0, max_points = 0;          ///< changes, without those for questions
  std::vector<std::string> reasons;           ///< "10 % off for 1 day late: … (-9.5 points)"
  std::vector<std::string> reasons_withheld;  ///< likewise, without numbers that reveal points
  std::optional<QuestionPoints> questions = {};

  /// False: the course only gives points for the questions, or changes nothing.
  bool has_rules() const { return points != 0 || max_points != 0 || !reasons.empty(); }
};

struct GradedSubmission {
  std::string id;
  std::string file_name;  ///< unique name for the submission's files, safe in file systems; empty: a student
                          ///< who handed in nothing, for whom there is no such file
  Identity identity;      ///< the owner in other systems
  std::string lms;  ///< the system that identity.lms_id is from: "canvas", …; empty: the instructor's roster
  std::vector<Result> results;  ///< in the order of the class's labs; fewer if the run was interrupted
  std::map<std::string, Adjustment> adjustments;  ///< by lab; contained in the scores of `results`
  std::vector<std::string> course_lines;          ///< the student's percentage of the course, and its reasons

  const Result* find(const std::string& lab) const;
};

struct ClassResults {
  ClassSummary summary;
  std::vector<GradedSubmission> submissions;  ///< by id

  /// True if `one` lacks a grade: grading failed because of the grader or the machine, or was interrupted
  /// before all labs were graded. After a complete run, a lab without a result was not handed in and not
  /// asked for.
  bool lacks_grade(const GradedSubmission& one) const;
};

/// Reads DIR/summary.json and the results that it names. Error WG-G55: a file is missing, is damaged, has
/// another version, or belongs to another submission. Unknown keys, from a later version, are ignored.
Expected<ClassResults, Diagnostic> read_class(const std::filesystem::path& folder);

/// Selects these submissions and labs; an empty list selects all. A lab can be named by the beginning of its
/// id. Usage error: the class has no such submission or lab.
Expected<ClassResults, Diagnostic> selected(ClassResults results, const std::vector<std::string>& submissions,
                                            const std::vector<std::string>& lab_names);

}  // namespace grader
