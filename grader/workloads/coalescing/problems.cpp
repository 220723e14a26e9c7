// Inputs and expected outputs of each function.
#include <array>
#include <cmath>

#include "lab/distribution.hpp"
#include "lab/error_bounds.hpp"
#include "workloads/coalescing/workload.hpp"

namespace grader::coalescing {
namespace {

using harness::Element;
using harness::Job;
using harness::Place;

std::uint32_t extent(const Case& one_case, const char* name) {
  return static_cast<std::uint32_t>(one_case.workload.at(name));
}

/// An input of that shape with the case's distribution.
Array random_array(const char* name, Shape shape, const Case& one_case, SplitMix64& random) {
  const std::size_t count = element_count(shape);
  return {name, std::move(shape), random_values(count, one_case.distribution, random)};
}

/// `value(i)` is element i. All tolerances are 0, because moved values must be exact.
template <class Value>
Expectation exact(const harness::OutputSpec& output, Value value) {
  Expectation expected;
  expected.name = output.name;
  expected.shape = output.shape;
  const std::size_t count = element_count(output.shape);
  expected.values.reserve(count);
  for (std::size_t i = 0; i < count; ++i) expected.values.push_back(static_cast<double>(value(i)));
  expected.tolerances.resize(count, 0.0);
  return expected;
}

double elements_moved(const Job& job) {
  double elements = 0;
  for (const harness::OutputSpec& output : job.outputs)
    elements += static_cast<double>(element_count(output.shape));
  return elements;
}

/// Element i of an output is the sum of `terms` products a[j] · b[j], where `operands(i)` is {a, b}, which
/// point into the inputs.
template <class Operands>
Expectation dot_products(const Job& job, std::size_t terms, Operands operands) {
  const harness::OutputSpec& output = job.outputs.front();
  const bool integers = all_integers(job.inputs[0].values) && all_integers(job.inputs[1].values);
  Expectation expected;
  expected.name = output.name;
  expected.shape = output.shape;
  const std::size_t count = element_count(output.shape);
  const double relative = sum_error_factor(static_cast<double>(terms)) * kUnitRoundoff;
  const double of_underflow = static_cast<double>(terms) * kLeastFloat;
  for (std::size_t i = 0; i < count; ++i) {
    const auto [a, b] = operands(i);
    double sum = 0, magnitude = 0;
    for (std::size_t j = 0; j < terms; ++j) {
      const double product = static_cast<double>(a[j]) * static_cast<double>(b[j]);
      sum += product;
      magnitude += std::abs(product);
    }
    expected.values.push_back(sum);
    const bool is_exact = integers && magnitude <= kExactInFloat;
    expected.tolerances.push_back(is_exact ? 0 : relative * magnitude + of_underflow);
    expected.magnitudes.push_back(static_cast<float>(magnitude));
  }
  return expected;
}

// ---- transpose

Job transpose_job(const Case& one_case) {
  const std::uint32_t width = extent(one_case, "width"), height = extent(one_case, "height");
  SplitMix64 random(one_case.seed);
  Job job;
  job.inputs.push_back({random_array("in", {height, width}, one_case, random)});
  job.outputs.push_back({"out", {width, height}});
  return job;
}

std::vector<Expectation> expect_transpose(const Job& job) {
  const std::size_t width = size_of(job, "width"), height = size_of(job, "height");
  const auto& in = job.inputs[0].values;
  return {exact(job.outputs[0], [&](std::size_t i) { return in[i % height * width + i / height]; })};
}

// ---- block_transpose_is_safe

/// Element b of the answer is for block size b; element 0 is 0.
Job safety_job(const Case& /*one_case*/) {
  Job job;
  job.outputs.push_back({"is_safe", {kMaxBlockSize + 1}, Place::host, Element::i32});
  return job;
}

std::vector<Expectation> expect_safety(const Job& job) {
  const std::size_t threads_in_step = size_of(job, "threads_in_step");
  return {exact(job.outputs[0], [&](std::size_t b) {
    return b > 0 && is_safe_without_barrier(b, threads_in_step) ? 1.0F : 0.0F;
  })};
}

/// The matrix is transposed in place. Its values before the call are the job's input, which the function does
/// not receive separately.
Job block_transpose_job(const Case& one_case) {
  const Shape shape{extent(one_case, "height"), extent(one_case, "width")};
  SplitMix64 random(one_case.seed);
  Job job;
  job.inputs.push_back({random_array("A", shape, one_case, random), Place::host});
  job.outputs.push_back({"A", shape, Place::device, Element::f32, 0});
  return job;
}

std::vector<Expectation> expect_block_transpose(const Job& job) {
  const std::size_t width = size_of(job, "width"), b = size_of(job, "block_size");
  const auto& A = job.inputs[0].values;
  return {exact(job.outputs[0], [&](std::size_t i) {
    const std::size_t row = i / width, column = i % width;
    return A[(row / b * b + column % b) * width + column / b * b + row % b];
  })};
}

// ---- sums

/// N is stored by columns, so its shape in memory is n × k.
Job corner_job(const Case& one_case) {
  const std::uint32_t m = extent(one_case, "m"), k = extent(one_case, "k"), n = extent(one_case, "n");
  SplitMix64 random(one_case.seed);
  Job job;
  job.inputs.push_back({random_array("M", {m, k}, one_case, random)});
  job.inputs.push_back({random_array("N", {n, k}, one_case, random)});
  job.outputs.push_back({"P", {m, n}});
  return job;
}

std::vector<Expectation> expect_corner(const Job& job) {
  const std::size_t k = size_of(job, "k"), n = size_of(job, "n");
  const float *M = job.inputs[0].values.data(), *N = job.inputs[1].values.data();
  return {dot_products(job, k, [=](std::size_t i) { return std::array{M + i / n * k, N + i % n * k}; })};
}

double corner_operations(const Job& job) {
  return 2.0 * static_cast<double>(size_of(job, "m") * size_of(job, "k") * size_of(job, "n"));
}

Job matvec_job(const Case& one_case) {
  const std::uint32_t rows = extent(one_case, "rows"), columns = extent(one_case, "columns");
  SplitMix64 random(one_case.seed);
  Job job;
  job.inputs.push_back({random_array("A", {rows, columns}, one_case, random)});
  job.inputs.push_back({random_array("x", {columns}, one_case, random)});
  job.outputs.push_back({"y", {rows}});
  return job;
}

std::vector<Expectation> expect_matvec(const Job& job) {
  const std::size_t columns = size_of(job, "columns");
  const float *A = job.inputs[0].values.data(), *x = job.inputs[1].values.data();
  return {dot_products(job, columns, [=](std::size_t i) { return std::array{A + i * columns, x}; })};
}

double matvec_operations(const Job& job) {
  return 2.0 * static_cast<double>(size_of(job, "rows") * size_of(job, "columns"));
}

// ---- points

Job points_job(const Case& one_case) {
  const std::uint32_t n = extent(one_case, "points");
  SplitMix64 random(one_case.seed);
  Job job;
  job.inputs.push_back({random_array("points", {n, 3}, one_case, random)});
  for (const char* name : {"x", "y", "z"}) job.outputs.push_back({name, {n}});
  return job;
}

std::vector<Expectation> expect_points(const Job& job) {
  const auto& points = job.inputs[0].values;
  std::vector<Expectation> all;
  for (std::size_t c = 0; c < 3; ++c)
    all.push_back(exact(job.outputs[c], [&](std::size_t i) { return points[3 * i + c]; }));
  return all;
}

}  // namespace

const std::vector<CoalescingProblem>& coalescing_problems() {
  static const std::vector<CoalescingProblem> problems{
      {"transpose", transpose_job, expect_transpose, elements_moved, transpose_hypotheses},
      {"block_transpose_is_safe", safety_job, expect_safety, elements_moved, safety_hypotheses},
      {"block_transpose", block_transpose_job, expect_block_transpose, elements_moved,
       block_transpose_hypotheses},
      {"matmul_corner_turning", corner_job, expect_corner, corner_operations, corner_hypotheses},
      {"matvec", matvec_job, expect_matvec, matvec_operations, matvec_hypotheses},
      {"aos_to_soa", points_job, expect_points, elements_moved, points_hypotheses},
  };
  return problems;
}

}  // namespace grader::coalescing
