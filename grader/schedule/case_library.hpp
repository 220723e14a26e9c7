// Inputs and expected outputs of a lab's cases, made once and shared by all submissions.
// Thread safe. Covered by schedule/case_library_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lab/workload.hpp"
#include "schedule/lazy.hpp"

namespace grader {

/// What one case hands to a submission.
struct PreparedCase {
  const Case* definition = nullptr;
  const Workload* workload = nullptr;
  harness::Job job;
  std::map<std::string, double> quantities;  ///< Workload::quantities
  std::string inputs_sha256;                 ///< of name, shape and bytes of every input
};

/// The inputs of those calls of a speed-up on a real GPU whose outputs are looked at: the case's, rotated.
struct ShownInputs {
  std::uint64_t rotation = 0;
  harness::Job job;
  std::vector<Expectation> expected;
};

class CaseLibrary {
 public:
  /// `lab` must outlive the library. Requires: its workload exists (load_lab sees to it).
  explicit CaseLibrary(const Lab& lab);

  /// The error is one sentence about the case's parameters. Requires: the lab has such a case.
  const Expected<PreparedCase, std::string>& prepare(const std::string& case_name);

  /// What the case's answer is held against; matches job.outputs. Made when it is first asked for: a speed-up
  /// on a real GPU, the largest case of a lab, draws inputs of its own and never asks.
  const std::vector<Expectation>& expected(const PreparedCase& prepared);

  /// The same for all submissions that this process looks at, for an oracle of such a size takes seconds. No
  /// program learns which of its calls has these inputs, and no two processes draw the same.
  const ShownInputs& shown(const PreparedCase& prepared);

 private:
  const Lab& lab_;
  const Workload& workload_;
  std::map<std::string, Lazy<Expected<PreparedCase, std::string>>> cases_;
  std::map<std::string, Lazy<Expected<std::vector<Expectation>, std::string>>> expected_;  ///< never an error
  std::map<std::string, Lazy<Expected<ShownInputs, std::string>>> shown_;                  ///< likewise
};

}  // namespace grader
