#include "workloads/saxpy/workload.hpp"

#include <cmath>

#include "catch.hpp"
#include "judge/patterns.hpp"
#include "lab/distribution.hpp"

namespace {

using grader::Array;
using grader::Case;
using grader::Expectation;
using grader::harness::Job;
using testing::contains;

Case case_of(const std::string& entry, std::int64_t n, std::int64_t block_threads,
             const std::string& distribution = "uniform") {
  Case one;
  one.name = "case";
  one.entry = entry;
  one.workload = {{"n", n}, {"block_threads", block_threads}, {"a", 0}, {"a_divisor", 1}};
  one.distribution = distribution;
  one.seed = 3;
  return one;
}

Job job_of(std::int64_t n, const std::string& distribution = "uniform") {
  return grader::saxpy::workload().job(case_of("saxpy", n, 256, distribution));
}

Job job_from_host(std::int64_t n) {
  Case one = case_of("saxpy_from_host", n, 256);
  one.workload.erase("block_threads");
  return grader::saxpy::workload().job(one);
}

/// The diagnosis of the results of `compute(a, x, y)`.
template <class Compute>
grader::Diagnostic diagnosis_of(const Job& job, Compute compute) {
  const Expectation expected = grader::saxpy::workload().expect(job).front();
  Array y{"y", expected.shape, {}};
  for (std::size_t i = 0; i < expected.values.size(); ++i)
    y.values.push_back(compute(job.inputs[2].values[0], job.inputs[0].values[i], job.inputs[1].values[i]));
  return *diagnose_values({y, expected}, grader::saxpy::workload().hypotheses(job));
}

/// The number of results of `compute(a, x, y)` that are outside the tolerance.
template <class Compute>
std::size_t outside(const Job& job, Compute compute) {
  const Expectation expected = grader::saxpy::workload().expect(job).front();
  std::size_t count = 0;
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    const float y = compute(job.inputs[2].values[0], job.inputs[0].values[i], job.inputs[1].values[i]);
    if (!(std::abs(static_cast<double>(y) - expected.values[i]) <= expected.tolerances[i])) ++count;
  }
  return count;
}

float rounded_twice(float a, float x, float y) {
  const volatile float product = a * x;
  return product + y;
}
float fused(float a, float x, float y) { return std::fma(a, x, y); }

TEST_CASE("one or two roundings are accepted for all values") {
  for (const std::string& distribution : grader::summable_distributions()) {
    INFO(distribution);
    const Job job = job_of(4099, distribution);
    CHECK(outside(job, rounded_twice) == 0);
    CHECK(outside(job, fused) == 0);
  }
}

TEST_CASE("a lost summand is found") {
  const Job job = job_of(1000);
  CHECK(outside(job, [](float a, float x, float /*y*/) { return a * x; }) > 990);
  CHECK(outside(job, [](float /*a*/, float /*x*/, float y) { return y; }) > 990);
  CHECK(outside(job, [](float a, float x, float y) { return (a * x + y) * (1 + 0x1p-20F); }) > 500);
}

TEST_CASE("an impossible block leaves y unchanged and returns the error") {
  for (const int threads : {0, 1025, 2048}) {
    const Job job = grader::saxpy::workload().job(case_of("saxpy_in_blocks", 5, threads));
    const auto expected = grader::saxpy::workload().expect(job);
    CHECK(expected.at(1).values == std::vector<double>{1});
    for (std::size_t i = 0; i < 5; ++i)
      CHECK(expected[0].values[i] == static_cast<double>(job.inputs[1].values[i]));
  }
  const Job possible = grader::saxpy::workload().job(case_of("saxpy_in_blocks", 5, 1024));
  CHECK(grader::saxpy::workload().expect(possible).at(1).values == std::vector<double>{0});
}

TEST_CASE("the number of threads that a block can have is the device's") {
  Case one = case_of("saxpy_in_blocks", 5, 513);
  CHECK(grader::saxpy::workload().job(one).needs_launch);
  one.device["max_threads_per_block"] = 512;
  const Job job = grader::saxpy::workload().job(one);
  CHECK_FALSE(job.needs_launch);
  CHECK(grader::saxpy::workload().expect(job).at(1).values == std::vector<double>{1});
}

TEST_CASE("subnormal values must not be replaced by 0") {
  const auto flushed = [](float a, float x, float y) {
    const float result = std::fma(a, x, y);
    return std::fpclassify(result) == FP_SUBNORMAL ? 0.0F : result;
  };
  CHECK(outside(job_of(1000, "subnormal"), flushed) > 700);
  CHECK(outside(job_of(1000, "tiny"), flushed) == 0);
}

TEST_CASE("the factor is a case's number, or random") {
  Case one = case_of("saxpy", 5, 256);
  const auto factor = [&] { return grader::saxpy::workload().job(one).inputs.at(2).values.at(0); };
  CHECK(std::abs(factor()) >= 0.01F);
  CHECK(std::abs(factor()) <= 1);
  one.workload["a"] = -3;
  CHECK(factor() == -3);
  one.workload["a_divisor"] = 100'000;
  CHECK(factor() == -3e-5F);
}

TEST_CASE("y starts as the second input") {
  const Job job = job_of(7);
  CHECK(job.outputs.at(0).starts_as == std::size_t{1});
  CHECK(job.inputs.at(1).name == "y");
}

TEST_CASE("mistakes in the formula are named") {
  const Job job = job_of(300);
  const auto diagnosis = [&](auto compute) { return diagnosis_of(job, compute).what; };
  CHECK_THAT(diagnosis([](float a, float x, float) { return a * x; }), contains("lacks the old y[i]"));
  CHECK_THAT(diagnosis([](float, float x, float y) { return x + y; }), contains("lacks the factor a"));
  CHECK_THAT(diagnosis([](float, float, float y) { return y; }), contains("before the call"));
  CHECK_THAT(diagnosis([](float a, float x, float y) { return 2 * a * x + y; }), contains("twice"));
  CHECK_THAT(diagnosis([](float a, float x, float y) { return fused(a, y, x); }),
             contains("a * y[i] + x[i]"));
}

TEST_CASE("missing and confused copies are named") {
  const Job job = job_from_host(300);
  const auto cause = [&](auto compute) { return diagnosis_of(job, compute).likely_cause; };
  CHECK_THAT(cause([](float, float, float y) { return y; }), contains("not copied from d_y to h_y"));
  CHECK_THAT(cause([](float, float x, float) { return x; }), contains("reads d_x, not d_y"));
  CHECK_THAT(cause([](float a, float x, float) { return fused(a, x, x); }), contains("got a copy of h_x"));
  CHECK_THAT(cause([](float a, float x, float y) { return fused(a, y, x); }),
             contains("x and y are swapped"));
  CHECK_THAT(cause([](float, float x, float y) { return x + y; }), contains("without the factor"));
}

TEST_CASE("all arrays of saxpy_from_host are in host memory") {
  const Job job = job_from_host(7);
  CHECK(job.needs_launch);
  CHECK_FALSE(has_device_inputs(job));
  CHECK(job.outputs.at(0).place == grader::harness::Place::host);
  CHECK(job.outputs.at(0).starts_as == std::size_t{1});
  CHECK(job_of(7).inputs.at(0).values == job.inputs.at(0).values);
}

TEST_CASE("an impossible block can be refused without a launch") {
  for (const int threads : {0, 1025, 2048})
    CHECK_FALSE(grader::saxpy::workload().job(case_of("saxpy_in_blocks", 1000, threads)).needs_launch);
  CHECK(grader::saxpy::workload().job(case_of("saxpy_in_blocks", 1000, 1024)).needs_launch);
}

TEST_CASE("the block size of saxpy is fixed") {
  CHECK(problem_with(grader::saxpy::workload(), case_of("saxpy", 5, 64)) ==
        "block_threads is not 256, which saxpy always uses");
  CHECK_FALSE(problem_with(grader::saxpy::workload(), case_of("saxpy_in_blocks", 5, 64)));
}

}  // namespace
