// From facts to verdicts. Pure: no I/O, no clocks, no devices.
//
// The first of these that applies decides: the grader's own fault (grader_fault); results that the device
// does not hold (rejected); a fault in a kernel (runtime_error; time_limit when it hit the step limit); an
// entry that is missing (compile_error); a program that did not come to its end (runtime_error or the limit
// it hit); a result that is wrong (runtime_error when a CUDA call failed before it, else wrong_answer); a
// race (runtime_error); right results that the host computed (rejected). A kernel fault or a race counts even
// when the values are right. A PTX form or runtime call that the virtual GPU lacks is a runtime_error that
// names it: running again would not help, using another form does.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/verdict.hpp"
#include "lab/workload.hpp"
#include "runner/runner.hpp"

namespace grader {

/// The most that one case reports; the causes come first.
inline constexpr std::size_t kMaxDiagnosticsPerCase = 4;

struct CaseVerdict {
  std::string case_name;
  Verdict verdict = Verdict::grader_fault;
  std::vector<Diagnostic> diagnostics;  ///< the most useful first; of accepted ones, warnings only
};

/// What the judge may quote from the student's file.
struct SourceText {
  std::string name;  ///< "tiled_matmul.cu"
  std::vector<std::string> lines;
};

/// `expected` matches job.outputs in order. `hypotheses` are the workload's for this job; without them
/// typical mistakes are told as "wrong values" only.
CaseVerdict judge_case(const std::string& case_name, const harness::Job& job, const CaseRun& run,
                       const std::vector<Expectation>& expected, const SourceText& source,
                       const std::vector<Hypothesis>& hypotheses = {});

}  // namespace grader
