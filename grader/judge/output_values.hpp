// Compares the outputs of a run with the expected ones, and says what probably made them wrong. Pure. Covered
// by judge/judge_test.cpp.
#pragma once

#include <vector>

#include "harness/job.hpp"
#include "judge/judge.hpp"
#include "judge/patterns.hpp"

namespace grader {

/// One for each wrong output. The outputs have the shapes of `expected`.
std::vector<Guesses> diagnose_outputs(const harness::Job& job, const CaseRun& run,
                                      const std::vector<Expectation>& expected, const SourceText& source,
                                      const std::vector<Hypothesis>& hypotheses);

}  // namespace grader
