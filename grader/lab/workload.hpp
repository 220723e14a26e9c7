// What a lab computes, in host code: inputs from a seed, expected outputs in double precision with a
// tolerance of its own for every element, useful operations, and the results that typical mistakes give. One
// Workload for each lab, in a folder of its own: grader/workloads/<name>/ (handout/instructor/adding-a-lab.md
// says what belongs there). Thread safety: all functions may be called at once.
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

/// Expected values and how far a right answer may be off, element by element.
struct Expectation {
  std::string name;
  Shape shape;
  std::vector<double> values;
  std::vector<double> tolerances;  ///< absolute, ≥ 0; infinite values must be met exactly
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

/// An integer that a case's `workload` gives.
struct Parameter {
  std::string name;
  std::int64_t least = 0, most = 0;
  std::vector<std::string> entries = {};  ///< the student's functions that it is for; empty: all of them
  std::optional<std::int64_t> otherwise = std::nullopt;  ///< when the case says nothing; absent: it must

  bool is_for(const std::string& entry) const {
    return entries.empty() || std::find(entries.begin(), entries.end(), entry) != entries.end();
  }
};

/// An input or output whose last two dimensions are rows and columns of a grey image.
struct GreyImage {
  std::string array;
  double black = 0, white = 0;  ///< equal: the smallest and largest finite value
};

/// What a speed-up compares.
enum class TimeMeasure {
  kernels,  ///< time of all kernels
  call,  ///< from the call's first operation on the device to the end of its last, copies and gaps included
};

class Workload {
 public:
  virtual ~Workload() = default;

  /// The student's functions; the first is a case's default.
  virtual std::vector<std::string> entries() const = 0;
  virtual std::vector<Parameter> parameters() const = 0;
  /// What is wrong with the case beside its parameters' ranges, one sentence ("m * k * n is …"). Makes no
  /// arrays. Requires: all parameters of the case's entry are there and in their ranges.
  virtual std::optional<std::string> further_problem(const Case& /*one_case*/) const { return std::nullopt; }

  /// `adapter` and `entry` are set by make_job(). Requires: problem_with() found nothing.
  virtual harness::Job job(const Case& one_case) const = 0;
  virtual std::vector<Expectation> expect(const harness::Job& job) const = 0;
  /// Most specific first. They refer to `job`, which must outlive them.
  virtual std::vector<Hypothesis> hypotheses(const harness::Job& /*job*/) const { return {}; }
  /// What counters can be divided by: useful operations, results, … of the job, by singular name ("flop"
  /// makes barriers_per_flop). Values > 0.
  virtual std::map<std::string, double> quantities(const harness::Job& job) const = 0;
  /// Their names, the same for every job.
  virtual std::vector<std::string> quantity_names() const = 0;
  /// Single-precision operations that every program must do, a fused multiply-add being two; 0 = unknown.
  /// What is faster than a GPU's lanes can do them has not done them.
  virtual double operations(const harness::Job& /*job*/) const { return 0; }
  /// What there is to look at; arrays of another number of dimensions than 2 or 3 are no images.
  virtual std::vector<GreyImage> images(const harness::Job& /*job*/) const { return {}; }
  /// `call` needs inputs and outputs in host memory, so that all operations on the device are the student's.
  virtual TimeMeasure time_measure() const { return TimeMeasure::kernels; }
};

/// nullptr when there is none of that name.
const Workload* find_workload(const std::string& name);
std::vector<std::string> workload_names();

/// What is wrong with the case, one sentence ("k is 0 when it should be at least 1"). Makes no arrays.
std::optional<std::string> problem_with(const Workload& workload, const Case& one_case);

/// The job of a lab's case. The error is problem_with()'s.
Expected<harness::Job, std::string> make_job(const Lab& lab, const Case& one_case);

/// The naive program, which defines the same functions as the student's file: path in the kit.
std::filesystem::path baseline_source(const std::string& workload);

}  // namespace grader
