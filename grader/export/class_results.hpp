// What `grade --out DIR` wrote, read back: one model that every export renders. Pure data but for
// read_class(). Covered by export/class_results_test.cpp.
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
  std::string file_name;  ///< a stand-in for the id that is safe as the name of a file; no two are the same
  Identity identity;      ///< who it belongs to in other systems
  std::string lms;  ///< whose number identity.lms_id is: "canvas", …; empty: the instructor's roster says it
  std::vector<Result> results;  ///< in the order of the class's labs; fewer when the run was interrupted

  const Result* find(const std::string& lab) const;
};

struct ClassResults {
  ClassSummary summary;
  std::vector<GradedSubmission> submissions;  ///< by id

  /// A grade is missing for `one`: a lab was not graded, or grading it failed through no fault of the
  /// student.
  bool lacks_grade(const GradedSubmission& one) const;
};

/// Reads DIR/summary.json and the results that it names. WG-G55 when a file is missing, damaged, of another
/// version, or belongs to another submission. Keys that a later version adds are passed over.
Expected<ClassResults, Diagnostic> read_class(const std::filesystem::path& folder);

/// Only these submissions and labs; empty: all. WG-G25 for a name that the class does not have.
Expected<ClassResults, Diagnostic> selected(ClassResults results, const std::vector<std::string>& submissions,
                                            const std::vector<std::string>& labs);

}  // namespace grader
