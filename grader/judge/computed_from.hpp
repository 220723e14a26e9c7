// Adds to diagnostics of wrong values what the first wrong element was computed from: a fact that leads to
// the mistake where no pattern does.
#pragma once

#include <vector>

#include "base/diagnostic.hpp"
#include "harness/job.hpp"
#include "runner/case_run.hpp"

namespace grader {

/// `run` follows terms (Runner::run_with_terms()) and is otherwise like the run that was judged.
void name_terms(std::vector<Diagnostic>& diagnostics, const harness::Job& job, const CaseRun& run);

}  // namespace grader
