// Grades a class: every submission for every lab, several at a time, with a row for each, whatever happens.
// Results do not depend on the number of jobs. Covered by schedule/class_run_test.cpp.
//
// Files: DIR/results/<submission>/<lab>.json as soon as a submission is graded, DIR/gradebook.csv and
// DIR/summary.json at the end, DIR/journal.jsonl all along. A result file is complete or absent.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "report/result_json.hpp"
#include "schedule/submissions.hpp"

namespace grader {

/// Grades one submission for one lab; nullopt when it was stopped. Called from several threads; must not
/// throw.
using GradeOne = std::function<std::optional<Result>(const Submission&, const Lab&)>;

struct ClassOptions {
  std::filesystem::path out;
  unsigned jobs = 1;
  std::atomic<bool>* stop =
      nullptr;  ///< set from outside (Ctrl-C), and by the run itself when it cannot write
  std::function<void(std::size_t done, std::size_t total, const std::string& latest)> progress;
};

struct ClassOutcome {
  ClassSummary summary;             ///< what was finished
  std::optional<Diagnostic> fault;  ///< the output could not be written; what was written before is complete
};

ClassOutcome grade_class(const std::vector<Lab>& labs, const std::vector<Submission>& submissions,
                         const GradeOne& grade, const ClassOptions& options);

}  // namespace grader
