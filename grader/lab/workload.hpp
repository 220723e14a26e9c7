// The computation of a lab, in host code: inputs from a seed, expected outputs in double precision with a
// tolerance per element, useful operations, and the results of typical mistakes. Each lab has one Workload in
// its own folder grader/workloads/<name>/ (handout/instructor/adding-a-lab.md describes its contents). Thread
// safety: all functions can be called concurrently.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/array.hpp"
#include "base/expected.hpp"
#include "harness/job.hpp"
#include "lab/lab.hpp"

namespace grader {

/// Expected values and the allowed error of each element.
struct Expectation {
  std::string name;
  Shape shape;
  std::vector<double> values;
  std::vector<double> tolerances;  ///< absolute, ≥ 0; infinite values must match exactly
  /// Sum of the absolute values of the terms of each element, to which rounding errors are relative. Empty if
  /// unknown.
  std::vector<float> magnitudes;
  /// Only with tolerances of 0, which require the roundings of a given kernel: the errors that other
  /// roundings of the same sum can have.
  std::vector<double> roundings = {};
};

/// The result of one typical mistake. If an output matches it everywhere and differs from the right result,
/// that mistake is very likely the cause.
struct Hypothesis {
  std::string code;     ///< "WG-V08"
  std::string pattern;  ///< "each element lacks the terms of the last, partial tile"
  std::string likely_cause, next_step;
  std::string output;                         ///< the output that it describes
  std::function<double(std::size_t)> values;  ///< element (row-major) → value; NaN: any value matches
  /// The wrong elements that the output must have. Fewer than the usual number can match by chance, unless
  /// they are all elements that can show the mistake: a comparison that is wrong at one value, for instance.
  std::size_t evidence = 4;
  /// Replaces `values` for mistakes with a number that the program chose; takes the first wrong value, too.
  /// In the texts, "{number}" is replaced by that value.
  std::function<double(std::size_t, double)> values_with = nullptr;
};

/// An integer in a case's `workload`.
struct Parameter {
  std::string name;
  std::int64_t least = 0, most = 0;
  std::vector<std::string> entries = {};  ///< the student's functions that use it; empty: all of them
  std::optional<std::int64_t> otherwise = std::nullopt;  ///< default value; none: the case must give a value

  bool is_for(const std::string& entry) const {
    return entries.empty() || std::find(entries.begin(), entries.end(), entry) != entries.end();
  }
};

/// An input or output whose last two dimensions are the rows and columns of a grey image.
struct GreyImage {
  std::string array;
  double black = 0, white = 0;  ///< equal: the smallest and largest finite value
};

/// The time that a speed-up compares.
enum class TimeMeasure {
  kernels,  ///< the sum of the times of all kernels
  call,  ///< from the start of the call's first device operation to the end of its last, with copies and gaps
};

class Workload {
 public:
  virtual ~Workload() = default;

  /// The student's functions; the first is a case's default.
  virtual std::vector<std::string> entries() const = 0;
  virtual std::vector<Parameter> parameters() const = 0;
  /// Of the distributions whose sums or products are not finite, those that cases of the function can have.
  virtual std::vector<std::string> infinite_distributions(const std::string& /*entry*/) const { return {}; }
  /// A problem of the case other than the ranges of its parameters, as one sentence ("m * k * n is …").
  /// Creates no arrays. Requires: all parameters of the case's entry are present and in their ranges.
  virtual std::optional<std::string> further_problem(const Case& /*one_case*/) const { return std::nullopt; }

  /// `adapter` and `entry` are set by make_job(). Requires: problem_with() found nothing.
  virtual harness::Job job(const Case& one_case) const = 0;
  virtual std::vector<Expectation> expect(const harness::Job& job) const = 0;
  /// The most specific first. They refer to `job`, which must outlive them.
  virtual std::vector<Hypothesis> hypotheses(const harness::Job& /*job*/) const { return {}; }
  /// Divisors for counters: useful operations, results, … of the job, by singular name ("flop" gives
  /// barriers_per_flop). Values > 0.
  virtual std::map<std::string, double> quantities(const harness::Job& job) const = 0;
  /// The names of quantities(), the same for every job.
  virtual std::vector<std::string> quantity_names() const = 0;
  /// Single-precision operations that every program must do; a fused multiply-add counts as two; 0 = unknown.
  /// A program that is faster than a GPU's lanes can do these operations has not done them.
  virtual double operations(const harness::Job& /*job*/) const { return 0; }
  /// Arrays to show as images. Arrays that do not have 2 or 3 dimensions are ignored.
  virtual std::vector<GreyImage> images(const harness::Job& /*job*/) const { return {}; }
  /// `call` requires inputs and outputs in host memory, so that all operations on the device are the
  /// student's.
  virtual TimeMeasure time_measure() const { return TimeMeasure::kernels; }
};

/// nullptr if no workload has that name.
const Workload* find_workload(const std::string& name);
std::vector<std::string> workload_names();

/// The problem of an invalid case, as one sentence ("k is 0 when it should be at least 1"). Creates no
/// arrays.
std::optional<std::string> problem_with(const Workload& workload, const Case& one_case);

/// The case of an earlier call: other parameters and other values.
Case earlier_case(const Case& one_case, std::size_t index);

/// The case of a call of another function: the same parameters, and other values.
Case case_of_function(const Case& one_case, const std::string& entry);

/// The job of a lab's case. The error is that of problem_with(). If the case has earlier calls or another
/// function, more calls are added (similar_calls.hpp).
Expected<harness::Job, std::string> make_job(const Lab& lab, const Case& one_case);

/// The job of the same case with other values in its device arrays, also in earlier calls. Arrays in host
/// memory keep theirs. The results are not those of the case.
harness::Job with_other_values(const Lab& lab, const Case& one_case, const harness::Job& job);

/// Path in the kit of the naive program, which defines the same functions as the student's file.
std::filesystem::path baseline_source(const std::string& workload);

}  // namespace grader
