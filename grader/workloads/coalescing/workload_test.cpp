#include "workloads/coalescing/workload.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "catch.hpp"
#include "judge/patterns.hpp"
#include "lab/distribution.hpp"

namespace {

using grader::Array;
using grader::Case;
using grader::Expectation;
using grader::harness::Job;
using testing::contains;

using Values = std::vector<double>;

Case case_of(const std::string& entry, const std::map<std::string, std::int64_t>& parameters,
             const std::string& distribution = "uniform") {
  Case one;
  one.name = "case";
  one.entry = entry;
  one.workload = parameters;
  one.distribution = distribution;
  one.seed = 42;
  return one;
}

/// A job whose input values are 1, 2, 3, …
Job counting_job(const std::string& entry, const std::map<std::string, std::int64_t>& parameters) {
  Job job = grader::coalescing::workload().job(case_of(entry, parameters));
  for (auto& input : job.inputs) std::iota(input.values.begin(), input.values.end(), 1.0F);
  return job;
}

Expectation expected(const Job& job, std::size_t output = 0) {
  return grader::coalescing::workload().expect(job).at(output);
}

Job random_job(const std::string& entry, const std::map<std::string, std::int64_t>& parameters) {
  return grader::coalescing::workload().job(case_of(entry, parameters));
}

/// The judge's message if the function's result is `element(i)`.
template <class Element>
std::string diagnosis(const Job& job, Element element, std::size_t output = 0) {
  const Expectation right = expected(job, output);
  Array actual{right.name, right.shape, {}};
  for (std::size_t i = 0; i < right.values.size(); ++i)
    actual.values.push_back(static_cast<float>(element(i)));
  const auto found = grader::diagnose_values({actual, right, {}, job.outputs[output].place},
                                             grader::coalescing::workload().hypotheses(job));
  return found ? found->what : "";
}

TEST_CASE("a transpose swaps rows and columns, exactly") {
  const Job job = counting_job("transpose", {{"width", 3}, {"height", 2}});
  CHECK(job.inputs[0].shape == grader::Shape{2, 3});
  CHECK(expected(job).shape == grader::Shape{3, 2});
  CHECK(expected(job).values == Values{1, 4, 2, 5, 3, 6});
  CHECK(expected(job).tolerances == Values(6, 0.0));
}

TEST_CASE("a block transpose does not move tiles") {
  const Job job = counting_job("block_transpose", {{"width", 4}, {"height", 2}, {"block_size", 2}});
  CHECK(expected(job).values == Values{1, 5, 3, 7, 2, 6, 4, 8});
  CHECK(job.outputs[0].starts_as == 0U);
}

TEST_CASE("N of a corner turning is stored column by column") {
  const Job job = counting_job("matmul_corner_turning", {{"m", 2}, {"k", 3}, {"n", 2}});
  // Rows of M: 1 2 3 and 4 5 6; columns of N: 1 2 3 and 4 5 6.
  CHECK(expected(job).values == Values{14, 32, 32, 77});
  CHECK(grader::coalescing::workload().quantities(job).at("operation") == 24);
  CHECK(grader::coalescing::workload().quantities(job).at("useful_byte") == 4 * (6 + 6 + 4));
}

TEST_CASE("a matrix is multiplied by a vector") {
  const Job job = counting_job("matvec", {{"rows", 2}, {"columns", 3}});
  CHECK(expected(job).values == Values{14, 32});
  CHECK(expected(job).magnitudes == std::vector<float>{14, 32});
  CHECK(expected(job).tolerances[0] == 0);  // sums of small integers are exact in any order
  Job with_fraction = job;
  with_fraction.inputs[0].values[0] = 1.5F;
  CHECK(expected(with_fraction).tolerances[0] == Approx(4 * 14.5 * 0x1.0p-24));
}

TEST_CASE("no term of a long sum of integers can be left out") {
  Job job =
      grader::coalescing::workload().job(case_of("matvec", {{"rows", 1}, {"columns", 131073}}, "integers"));
  CHECK(expected(job).tolerances[0] == 0);
}

TEST_CASE("points are separated into coordinates") {
  const Job job = counting_job("aos_to_soa", {{"points", 2}});
  CHECK(expected(job, 0).values == Values{1, 4});
  CHECK(expected(job, 1).values == Values{2, 5});
  CHECK(expected(job, 2).values == Values{3, 6});
  CHECK(grader::coalescing::workload().quantities(job).at("useful_byte") == 4 * 12);
}

TEST_CASE("without a barrier, a block is safe if it fits in one group that runs in step") {
  for (const std::size_t in_step : {1U, 16U, 32U, 64U})
    for (std::size_t b = 1; b <= grader::coalescing::kMaxBlockSize; ++b) {
      INFO(b << " in groups of " << in_step);
      CHECK(grader::coalescing::is_safe_without_barrier(b, in_step) == (b * b <= in_step));
    }
  const Job job = random_job("block_transpose_is_safe", {{"threads_in_step", 32}});
  const Values answers = expected(job).values;
  CHECK(answers.size() == 33);
  CHECK(Values(answers.begin(), answers.begin() + 7) == Values{0, 1, 1, 1, 1, 1, 0});
}

TEST_CASE("the only exception is a group without the last thread, which reads its own element") {
  CHECK(grader::coalescing::is_safe_without_barrier(3, 8));  // therefore the lab does not use 8
}

TEST_CASE("every order of summation passes, a missing term does not") {
  for (const std::string& distribution : grader::summable_distributions()) {
    const Job job =
        grader::coalescing::workload().job(case_of("matvec", {{"rows", 16}, {"columns", 257}}, distribution));
    const Expectation right = expected(job);
    const auto &A = job.inputs[0].values, &x = job.inputs[1].values;
    for (std::size_t row = 0; row < 16; ++row) {
      INFO(distribution << " row " << row);
      float forwards = 0, backwards = 0;
      for (std::size_t i = 0; i < 257; ++i) {
        forwards += A[row * 257 + i] * x[i];
        backwards = std::fma(A[row * 257 + 256 - i], x[256 - i], backwards);
      }
      CHECK(std::abs(forwards - right.values[row]) <= right.tolerances[row]);
      CHECK(std::abs(backwards - right.values[row]) <= right.tolerances[row]);
    }
  }
  const Job job = random_job("matvec", {{"rows", 16}, {"columns", 257}});
  const Expectation right = expected(job);
  std::size_t outside = 0;
  for (std::size_t row = 0; row < 16; ++row)
    if (std::abs(static_cast<double>(job.inputs[0].values[row * 257]) * job.inputs[1].values[0]) >
        right.tolerances[row])
      ++outside;
  CHECK(outside > 14);
}

TEST_CASE("typical mistakes of a transpose are named") {
  const Job job = random_job("transpose", {{"width", 96}, {"height", 64}});
  const auto& in = job.inputs[0].values;
  CHECK_THAT(diagnosis(job, [&](std::size_t i) { return in[i]; }), contains("nothing is transposed"));
  CHECK_THAT(diagnosis(job,
                       [&](std::size_t i) {
                         const std::size_t row = i / 64, column = i % 64;
                         return in[(column / 32 * 32 + row % 32) * 96 + row / 32 * 32 + column % 32];
                       }),
             contains("not transposed inside"));
}

TEST_CASE("typical answers to the puzzle are named") {
  const Job job = random_job("block_transpose_is_safe", {{"threads_in_step", 16}});
  CHECK(diagnosis(job, [](std::size_t b) { return b > 0 && b <= 4 ? 1 : 0; }).empty());
  CHECK_THAT(diagnosis(job, [](std::size_t b) { return b == 0 ? 0 : 2; }), contains("not answered yet"));
  CHECK_THAT(diagnosis(job, [](std::size_t b) { return b > 0 && b <= 16 ? 1 : 0; }),
             contains("block_size itself"));
  CHECK_THAT(diagnosis(job, [](std::size_t b) { return b > 0 ? 1 : 0; }), contains("every block size"));
  CHECK_THAT(diagnosis(job, [](std::size_t) { return 0; }), contains("no block size"));
  CHECK_THAT(diagnosis(job, [](std::size_t b) { return b > 0 && b < 4 ? 1 : 0; }),
             contains("exactly 16 threads"));
}

TEST_CASE("typical mistakes of the sums are named") {
  const Job product = random_job("matmul_corner_turning", {{"m", 32}, {"k", 48}, {"n", 40}});
  const auto &M = product.inputs[0].values, &N = product.inputs[1].values;
  CHECK_THAT(diagnosis(product,
                       [&](std::size_t p) {
                         double sum = 0;
                         for (std::size_t i = 0; i < 48; ++i) sum += M[p / 40 * 48 + i] * N[i * 40 + p % 40];
                         return sum;
                       }),
             contains("stored by rows"));
  CHECK_THAT(diagnosis(product,
                       [&](std::size_t p) {
                         double sum = 0;
                         for (std::size_t i = 0; i < 48; ++i) sum += M[p / 40 * 48 + i] * N[p % 40 * 40 + i];
                         return sum;
                       }),
             contains("as if its columns had n elements"));
  const Job rows = random_job("matvec", {{"rows", 20}, {"columns", 70}});
  const auto &A = rows.inputs[0].values, &x = rows.inputs[1].values;
  const auto sum_where = [&](auto counts) {
    return diagnosis(rows, [&](std::size_t row) {
      double sum = 0;
      for (std::size_t i = 0; i < 70; ++i)
        if (counts(i)) sum += A[row * 70 + i] * x[i];
      return sum;
    });
  };
  CHECK_THAT(sum_where([](std::size_t i) { return i < 64; }), contains("lacks its last 6 of 70 terms"));
  CHECK_THAT(sum_where([](std::size_t i) { return i % 32 == 0; }), contains("the first lane"));
  CHECK_THAT(sum_where([](std::size_t i) { return i % 32 < 16; }), contains("the first 16 lanes"));
  CHECK_THAT(sum_where([](std::size_t i) { return i % 2 == 0; }), contains("shuffle with distance 1 adds"));
  const auto sum_of = [&](auto term) {
    return diagnosis(rows, [&](std::size_t row) {
      double sum = 0;
      for (std::size_t i = 0; i < 70; ++i) sum += term(row, i);
      return sum;
    });
  };
  CHECK_THAT(sum_of([&](auto row, auto i) { return A[row * 20 + i] * x[i]; }), contains("as if a row had"));
  CHECK_THAT(sum_of([&](auto row, auto i) { return A[row * 70 + i] * x[row]; }), contains("x[row]"));
  CHECK_THAT(sum_of([&](auto row, auto i) { return i % 32 == 0 ? 32 * A[row * 70 + i] * x[i] : 0.0F; }),
             contains("32 times that of lane 0"));
}

TEST_CASE("mixed coordinates are named") {
  const Job job = random_job("aos_to_soa", {{"points", 40}});
  const auto& points = job.inputs[0].values;
  CHECK_THAT(diagnosis(job, [&](std::size_t i) { return points[i]; }), contains("coordinates mixed"));
  CHECK_THAT(diagnosis(job, [&](std::size_t i) { return points[3 * i + 2]; }), contains("the points' z"));
}

TEST_CASE("parameters belong to functions, and invalid sizes are refused with their names") {
  const auto problem = [](const std::string& entry, const std::map<std::string, std::int64_t>& parameters) {
    return problem_with(grader::coalescing::workload(), case_of(entry, parameters)).value_or("");
  };
  CHECK(problem("aos_to_soa", {{"points", 1}}).empty());
  CHECK(problem("aos_to_soa", {{"points", 0}}) == "points is 0 when it should be at least 1");
  CHECK(problem("matvec", {{"rows", 4}}) == "columns is missing");
  CHECK(problem("block_transpose", {{"width", 8}, {"height", 9}, {"block_size", 4}}) ==
        "height is 9 when it should be a multiple of block_size, 4");
  CHECK(problem("block_transpose", {{"width", 8200}, {"height", 8}, {"block_size", 8}}) ==
        "width is 8200 when it should be at most 8192");
  CHECK(problem("transpose", {{"width", 65569}, {"height", 1}}).empty());
  CHECK_THAT(problem("transpose", {{"width", 8192}, {"height", 8192}}), contains("height * width is"));
  CHECK_THAT(problem("matmul_corner_turning", {{"m", 512}, {"k", 512}, {"n", 512}}), contains("m * k * n"));
}

}  // namespace
