// Computes the verdict of a case from the facts of its run. Pure: no I/O, no clocks, no devices.
//
// The first of these that applies determines the verdict: the grader's own fault (grader_fault); results that
// differ from device memory (rejected); a fault in a kernel (runtime_error; time_limit if it hit the step
// limit); a missing entry (compile_error); a program that did not complete (runtime_error or the limit that
// it hit); a wrong result (runtime_error if a CUDA call failed before it, otherwise wrong_answer); a race
// (runtime_error); right results that the host computed (rejected). A kernel fault or a race counts even if
// the values are right. A PTX instruction or runtime call that the virtual GPU lacks is a runtime_error that
// names it: running again would not help, but using another form would.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/verdict.hpp"
#include "lab/workload.hpp"
#include "runner/runner.hpp"

namespace grader {

/// The maximum number of diagnostics per case; causes come before consequences.
inline constexpr std::size_t kMaxDiagnosticsPerCase = 4;

/// A diagnosis of wrong values.
struct Guess {
  std::string cause;  ///< the hypothesis' likely cause; empty: no hypothesis
  Diagnostic diagnostic;
};

struct CaseVerdict {
  std::string case_name;
  Verdict verdict = Verdict::grader_fault;
  std::vector<Diagnostic> diagnostics;  ///< the most useful first; only warnings if the case is accepted
  /// Other causes of the first wrong output, for drop_contradicted(); the first one is in `diagnostics`.
  /// Empty if something else is known to be wrong.
  std::vector<Guess> guesses;
  std::vector<std::string> excluded;  ///< causes that the first wrong output cannot have
};

/// The student's source file, which diagnostics can quote.
struct SourceText {
  std::string name;  ///< "tiled_matmul.cu"
  std::vector<std::string> lines;
};

/// `expected` matches job.outputs in order. `hypotheses` are the workload's for this job; without them,
/// typical mistakes are reported only as "wrong values".
CaseVerdict judge_case(const std::string& case_name, const harness::Job& job, const CaseRun& run,
                       const std::vector<Expectation>& expected, const SourceText& source,
                       const std::vector<Hypothesis>& hypotheses = {});

/// Whether the run ended as it should, and all outputs, of all calls whose results are checked, are as
/// expected.
bool has_right_outputs(const harness::Job& job, const CaseRun& run, const std::vector<Expectation>& expected);

}  // namespace grader
