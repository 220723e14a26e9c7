// The facts of a run on the virtual GPU, found again in the result that was made of them, so that another
// rubric can be applied to them. Pure. Covered by schedule/stored_facts_test.cpp.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "report/result.hpp"

namespace grader {

/// One case, as it went.
struct StoredCase {
  CaseVerdict verdict;
  std::map<std::string, double> counters;  ///< those of named_counters(); empty unless accepted
  bool is_hung = false;                    ///< the host program ran into its time limit
  /// Objectives and speed-ups keep no warnings of a case that was accepted.
  bool has_warnings = true;
};

/// nullopt: the case was not run, or the result does not say all that it must.
std::optional<StoredCase> stored_case(const Result& result, const std::string& case_name);

/// Why nothing was run; nullptr when the submission was built.
const Check* build_failure(const Result& result);

/// A run with the provenance `now` has the same facts for the same source and inputs.
bool same_facts(const Provenance& before, const Provenance& now);

}  // namespace grader
