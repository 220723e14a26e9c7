// The diagnostics that most submissions of a class have. Pure. Covered by pages/class_page_test.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "export/class_results.hpp"

namespace grader::pages {

struct CommonDiagnostic {
  std::string lab, code;
  std::string what;  ///< the most frequent message
  Severity severity = Severity::error;
  std::vector<const GradedSubmission*> submissions;  ///< by id
};

/// The most frequent one first; results without a grade do not count.
std::vector<CommonDiagnostic> common_diagnostics(const ClassResults& all);

}  // namespace grader::pages
