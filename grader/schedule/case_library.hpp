// Inputs and expected outputs of a lab's cases, computed once and shared by all submissions. Thread-safe.
// Covered by schedule/case_library_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lab/workload.hpp"
#include "schedule/lazy.hpp"

namespace grader {

/// One case as it is given to a submission.
struct PreparedCase {
  const Case* definition = nullptr;
  const Workload* workload = nullptr;
  harness::Job job;
  std::map<std::string, double> quantities;  ///< Workload::quantities
  std::string inputs_sha256;                 ///< over name, shape and bytes of every input
};

/// On a real GPU, the inputs of the speed-up's calls whose outputs are checked: the case's inputs, rotated.
struct ShownInputs {
  harness::Job job;
  std::vector<Expectation> expected;
};

class CaseLibrary {
 public:
  /// `lab` must outlive the library. Requires: its workload exists (load_lab ensures that).
  explicit CaseLibrary(const Lab& lab);

  /// The error is one sentence about the case's parameters. Requires: the lab has such a case.
  const Expected<PreparedCase, std::string>& prepare(const std::string& case_name);

  /// The expected outputs of the case, in the order of job.outputs. Computed on first use: a speed-up on a
  /// real GPU, which is the largest case of a lab, draws its own inputs and never uses them.
  const std::vector<Expectation>& expected(const PreparedCase& prepared);

  /// The inputs are the same for all submissions that this process grades, because the oracle takes seconds
  /// for a case of this size. No program can find out which of its calls has these inputs, and every process
  /// draws different ones.
  const ShownInputs& shown(const PreparedCase& prepared);
  /// By how many elements they are rotated; known without the oracle.
  std::uint64_t shown_rotation(const PreparedCase& prepared) const;

 private:
  const Lab& lab_;
  const Workload& workload_;
  std::map<std::string, Lazy<Expected<PreparedCase, std::string>>> cases_;
  std::map<std::string, Lazy<Expected<std::vector<Expectation>, std::string>>>
      expected_;                                                           ///< values, never errors
  std::map<std::string, Lazy<Expected<ShownInputs, std::string>>> shown_;  ///< values, never errors
  std::map<std::string, std::uint64_t> shown_rotations_;
};

}  // namespace grader
