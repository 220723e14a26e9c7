// Decides whether a lab's rubric notices a mistake: builds a mutant and runs cases on the virtual GPU until
// it loses a point. Cases that found the latest mistakes come first, because neighbouring mutants fail in the
// same cases; the answer does not depend on the order. Thread-safe. Covered by e2e/mutants_test.cpp.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/expected.hpp"
#include "lab/lab.hpp"
#include "runner/runner.hpp"

namespace grader {

enum class Fate {
  not_built,  ///< the compiler or the policy refuses it
  killed,     ///< it loses points
  survived,   ///< it gets full marks
};

class MutationRun {
 public:
  /// `runner` must outlive the run and use the virtual GPU.
  MutationRun(const Lab& lab, const Runner& runner);
  ~MutationRun();

  /// The error is a fault of the grader or "it was stopped".
  Expected<Fate, std::string> fate_of(const std::string& source) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace grader
