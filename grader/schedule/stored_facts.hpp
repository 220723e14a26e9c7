// Extracts the facts of a run on the virtual GPU from its stored result, so that another rubric can be
// applied to them. Pure. Covered by schedule/stored_facts_test.cpp.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "report/result.hpp"
#include "score/missed.hpp"

namespace grader {

/// The facts about one case.
struct StoredCase {
  CaseVerdict verdict;
  std::map<std::string, double> counters;  ///< named_counters(); empty unless accepted
  bool is_hung = false;                    ///< the host program reached its time limit
  /// False if the result does not contain the case's warnings: objectives and speed-ups do not store the
  /// warnings of an accepted case.
  bool has_warnings = true;
};

/// nullopt: the case was not run, or the result does not contain all facts.
std::optional<StoredCase> stored_case(const Result& result, const std::string& case_name);

/// Leaves those counters of change (lab/change_counters.hpp) that the lab's objectives use; false if one of
/// them is not stored.
bool keep_change_counters(const Lab& lab, StoredCase& one);

/// The clue of a missed check. nullopt: the stored result does not show whether there is one, because the
/// check was not missed then, or not reached. Clues about overlap need the run's timeline.
std::optional<Clue> stored_clue(const Result& result, const Missed& missed);

/// The check that shows why nothing was run; nullptr if the submission was built.
const Check* build_failure(const Result& result);

/// True if runs with these provenances have the same facts for the same source and inputs.
bool same_facts(const Provenance& before, const Provenance& now);

}  // namespace grader
