// What a lab computes, in host code: inputs from a seed, expected outputs in double precision with a
// tolerance of its own for every element, useful operations, and the results that typical mistakes give. One
// Workload for each lab (tiled_matmul.cpp, …). Thread safety: all functions may be called at once.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/array.hpp"
#include "base/expected.hpp"
#include "harness/job.hpp"
#include "lab/lab.hpp"

namespace grader {

/// Expected values and how far a right answer may be off, element by element.
struct Expectation {
  std::string name;
  Shape shape;
  std::vector<double> values;
  std::vector<double> tolerances;  ///< absolute, > 0
  /// Sum of the absolute terms that went into each element: what rounding errors are relative to. Empty when
  /// the lab does not know it.
  std::vector<float> magnitudes;
};

/// The result that one typical mistake gives. An output that agrees with it everywhere, where the right
/// result does not, was very likely made by that mistake.
struct Hypothesis {
  std::string code;     ///< "WG-V08"
  std::string pattern;  ///< "each element lacks the terms of the last, partial tile"
  std::string likely_cause, next_step;
  std::string output;                         ///< which output it is about
  std::function<double(std::size_t)> values;  ///< element (row-major) → value; NaN: anything may stand here
};

class Workload {
 public:
  virtual ~Workload() = default;

  /// The student's functions; the first is a case's default.
  virtual std::vector<std::string> entries() const = 0;
  /// Names of the parameters that a case's `workload` gives, in order.
  virtual std::vector<std::string> parameters() const = 0;
  /// What is wrong with the case, one sentence ("k is 0 when it should be at least 1"). Makes no arrays.
  virtual std::optional<std::string> problem(const Case& one_case) const = 0;

  /// The error is problem()'s.
  virtual Expected<harness::Job, std::string> job(const Case& one_case) const = 0;
  virtual std::vector<Expectation> expect(const harness::Job& job) const = 0;
  /// Most specific first. They refer to `job`, which must outlive them.
  virtual std::vector<Hypothesis> hypotheses(const harness::Job& job) const = 0;
  /// Useful floating-point operations: the denominator of "per flop" counters.
  virtual double flops(const harness::Job& job) const = 0;
  /// Source of the naive kernel, which defines the same functions as the student's file.
  virtual std::string baseline_source() const = 0;  ///< path relative to grader/lab
};

/// nullptr when there is none of that name.
const Workload* find_workload(const std::string& name);
std::vector<std::string> workload_names();

}  // namespace grader
