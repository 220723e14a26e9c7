// The results that `grade --out DIR` wrote, as the model for all exports. Pure data, except for read_class().
// Covered by export/class_results_test.cpp.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/expected.hpp"
#include "report/result.hpp"
#include "report/result_json.hpp"

namespace grader {

struct GradedSubmission {
  std::string id;
  std::string file_name;  ///< unique name for the submission's files, safe in file systems
  Identity identity;      ///< the owner in other systems
  std::string lms;  ///< the system that identity.lms_id is from: "canvas", …; empty: the instructor's roster
  std::vector<Result> results;  ///< in the order of the class's labs; fewer if the run was interrupted

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
