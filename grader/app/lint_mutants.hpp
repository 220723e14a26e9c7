// `warpgrade lint --mutants`: does every mistake in a right answer cost points?
#pragma once

#include <string>
#include <vector>

#include "app/output.hpp"
#include "app/session.hpp"

namespace grader::app {

struct MutantOptions {
  bool all = false;                ///< --mutants
  unsigned sample = 0;             ///< mutants per lab, evenly spread; 0: all
  std::string part;                ///< "2/5": every fifth mutant, from the second; empty: all
  std::vector<std::string> names;  ///< only these mutants, with their changes
  unsigned jobs = 1;
};

/// Grades mutants of the labs' right answers and prints those that get full marks, and a table. After an
/// interruption, the table contains the mutants that were graded.
int lint_mutants(const Session& session, const std::vector<Lab>& labs, const MutantOptions& options,
                 const Console& console);

}  // namespace grader::app
