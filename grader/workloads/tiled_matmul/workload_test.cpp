#include "workloads/tiled_matmul/workload.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "catch.hpp"
#include "lab/distribution.hpp"

namespace {

using grader::Case;
using grader::Expectation;
using grader::harness::Job;
using grader::tiled_matmul::matmul_size;

Case case_of(std::int64_t m, std::int64_t k, std::int64_t n, const std::string& distribution = "uniform") {
  Case one;
  one.name = "case";
  one.entry = "tiled_matmul";
  one.workload = {{"m", m}, {"k", k}, {"n", n}};
  one.distribution = distribution;
  one.seed = 42;
  return one;
}

Job job_of(std::int64_t m, std::int64_t k, std::int64_t n, const std::string& distribution = "uniform") {
  return grader::tiled_matmul::workload().job(case_of(m, k, n, distribution));
}

Expectation expectation_of(const Job& job) { return grader::tiled_matmul::workload().expect(job).front(); }

/// Rounds to 11 significant bits, as half precision does (its range is not modelled).
float to_half(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  bits += 0xFFFU + ((bits >> 13U) & 1U);
  bits &= ~0x1FFFU;
  std::memcpy(&value, &bits, sizeof bits);
  return value;
}

/// Elements of P whose value, computed by `sum` from the operands of the terms, is outside the tolerance.
template <class Sum>
std::size_t outside(const Job& job, Sum sum) {
  const auto [m, k, n] = matmul_size(job);
  const Expectation expected = expectation_of(job);
  std::size_t count = 0;
  std::vector<float> row(k), column(k);
  for (std::size_t r = 0; r < m; ++r)
    for (std::size_t c = 0; c < n; ++c) {
      for (std::size_t i = 0; i < k; ++i) {
        row[i] = job.inputs[0].values[r * k + i];
        column[i] = job.inputs[1].values[i * n + c];
      }
      const double error = std::abs(sum(row, column) - expected.values[r * n + c]);
      if (!(error <= expected.tolerances[r * n + c])) ++count;
    }
  return count;
}

float in_order(const std::vector<float>& a, const std::vector<float>& b) {
  float sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}
float fused(const std::vector<float>& a, const std::vector<float>& b) {
  float sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum = std::fma(a[i], b[i], sum);
  return sum;
}
float backwards(const std::vector<float>& a, const std::vector<float>& b) {
  float sum = 0;
  for (std::size_t i = a.size(); i-- > 0;) sum += a[i] * b[i];
  return sum;
}
float pairwise(const std::vector<float>& a, const std::vector<float>& b) {
  std::vector<float> terms(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) terms[i] = a[i] * b[i];
  for (std::size_t step = 1; step < terms.size(); step *= 2)
    for (std::size_t i = 0; i + step < terms.size(); i += 2 * step) terms[i] += terms[i + step];
  return terms[0];
}
/// All positive terms from the largest down, then the negative terms: an order with large rounding errors.
float sorted(const std::vector<float>& a, const std::vector<float>& b) {
  std::vector<float> terms(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) terms[i] = a[i] * b[i];
  std::sort(terms.begin(), terms.end(), std::greater<>());
  return std::accumulate(terms.begin(), terms.end(), 0.0F);
}
float with_half_operands(const std::vector<float>& a, const std::vector<float>& b) {
  float sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += to_half(a[i]) * to_half(b[i]);
  return sum;
}
float with_half_sums(const std::vector<float>& a, const std::vector<float>& b) {
  float sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum = to_half(sum + a[i] * b[i]);
  return sum;
}
float without_last_term(const std::vector<float>& a, const std::vector<float>& b) {
  return in_order(a, b) - a.back() * b.back();
}

TEST_CASE("tiled matmul: infinite elements belong to their rows and columns only") {
  const Job job = job_of(19, 37, 21, "infinite");
  const Expectation expected = expectation_of(job);
  std::size_t not_a_number = 0;
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    const std::size_t row = i / 21, column = i % 21;
    const bool has_infinity = row % 4 != 0 || row == 0 || column % 3 == 1 || column == 0;
    CHECK(std::isfinite(expected.values[i]) != has_infinity);
    CHECK_FALSE(expected.values[i] <= 0);
    if (!std::isfinite(expected.values[i])) CHECK(expected.tolerances[i] == 0);
    if (std::isnan(expected.values[i])) {
      ++not_a_number;
      CHECK((row == 0 || column == 0));  // where a factor is 0
    }
  }
  CHECK(not_a_number == 12);
  // The element after the end of a row, times 0 for the row of N that does not exist.
  CHECK(std::isnan(job.inputs[0].values[37] * 0.0F));
}

TEST_CASE("tiled matmul: an element of an earlier tile makes NaN of the padding of the last one") {
  const Job job = job_of(19, 37, 21, "infinite");
  const auto is_infinite = [](float value) { return std::isinf(value); };
  for (std::size_t i = 0; i < 37; ++i) {
    std::size_t in_column = 0;
    for (std::size_t row = 0; row < 19; ++row) in_column += is_infinite(job.inputs[0].values[row * 37 + i]);
    CHECK(in_column > 0);
    const auto row_of_N = job.inputs[1].values.begin() + static_cast<std::ptrdiff_t>(i * 21);
    CHECK(std::any_of(row_of_N, row_of_N + 21, is_infinite));
  }
}

TEST_CASE("a job has the shapes of its case") {
  const Job job = job_of(2, 3, 4);
  CHECK(job.inputs[0].shape == grader::Shape{2, 3});
  CHECK(job.inputs[1].shape == grader::Shape{3, 4});
  CHECK(job.inputs[1].values.size() == 12);
  CHECK(job.outputs[0].name == "P");
  CHECK(job.outputs[0].shape == grader::Shape{2, 4});
  CHECK(grader::tiled_matmul::workload().quantities(job).at("flop") == 48);
}

TEST_CASE("the oracle computes the product") {
  Job job = job_of(2, 3, 2);
  job.inputs[0].values = {1, 2, 3, 4, 5, 6};
  job.inputs[1].values = {7, 8, 9, 10, 11, 12};
  const Expectation expected = expectation_of(job);
  CHECK(expected.values == std::vector<double>{58, 64, 139, 154});
  CHECK(expected.magnitudes == std::vector<float>{58, 64, 139, 154});
}

TEST_CASE("the oracle's blocks cover all elements for every remainder") {
  for (const auto& [m, k, n] : {std::array{1, 1, 1}, {5, 3, 257}, {4, 7, 256}, {3, 2, 513}, {9, 33, 255}}) {
    const Job job = job_of(m, k, n, "integers");
    // Integers are summed exactly in every order, so that no term can be left out.
    CHECK(outside(job, in_order) == 0);
    CHECK(expectation_of(job).tolerances[0] == 0);
  }
}

TEST_CASE("tolerances are positive even where a whole row is zero") {
  Job job = job_of(3, 4, 5);
  std::fill_n(job.inputs[0].values.begin(), 4, 0.0F);
  const Expectation expected = expectation_of(job);
  CHECK(std::all_of(expected.tolerances.begin(), expected.tolerances.end(), [](double t) { return t > 0; }));
  CHECK(expected.tolerances[0] < 1e-15);
}

TEST_CASE("a product of tiny numbers must be computed, too: 0 is not accepted") {
  const auto nothing = [](const auto&, const auto&) { return 0.0F; };
  CHECK(outside(job_of(16, 1, 16, "tiny"), nothing) == 16 * 16);
}

TEST_CASE("every order of summation in float passes") {
  for (const std::string& distribution : grader::summable_distributions())
    for (const int k : {1, 2, 17, 64, 256, 512}) {
      const Job job = job_of(24, k, 24, distribution);
      INFO(distribution << " k = " << k);
      CHECK(outside(job, in_order) == 0);
      CHECK(outside(job, fused) == 0);
      CHECK(outside(job, backwards) == 0);
      CHECK(outside(job, pairwise) == 0);
      CHECK(outside(job, sorted) == 0);
    }
}

TEST_CASE("products in half precision fail in the sizes that the lab uses") {
  for (const int k : {2, 16, 33, 100, 256, 512})
    for (const char* distribution : {"uniform", "mixed"}) {
      const Job job = job_of(24, k, 24, distribution);
      INFO(distribution << " k = " << k);
      CHECK(outside(job, with_half_operands) > 24 * 24 / 8);
      CHECK(outside(job, with_half_sums) > 24 * 24 / 8);
    }
  CHECK(outside(job_of(16, 2048, 16, "mixed"), with_half_operands) > 16 * 16 / 2);
}

TEST_CASE("a sum without one of its terms fails") {
  for (const int k : {1, 17, 256, 512})
    CHECK(outside(job_of(16, k, 16), without_last_term) > 16 * 16 * 9 / 10);
}

TEST_CASE("the same case gives the same inputs, another seed gives other inputs") {
  Case one = case_of(8, 8, 8);
  const auto& workload = grader::tiled_matmul::workload();
  CHECK(workload.job(one).inputs[0].values == workload.job(one).inputs[0].values);
  const auto before = workload.job(one).inputs[0].values;
  one.seed = 43;
  CHECK(workload.job(one).inputs[0].values != before);
}

TEST_CASE("invalid sizes are refused with their names") {
  const auto& workload = grader::tiled_matmul::workload();
  CHECK(problem_with(workload, case_of(0, 1, 1)) == "m is 0 when it should be at least 1");
  CHECK(problem_with(workload, case_of(1, 1, -5)) == "n is -5 when it should be at least 1");
  CHECK(problem_with(workload, case_of(1, 100'001, 1)) == "k is 100001 when it should be at most 100000");
  CHECK(problem_with(workload, case_of(100'000, 1, 168)) ==
        "the matrix without k has 16800000 elements when it should have at most 16777216");
  CHECK_FALSE(problem_with(workload, case_of(100'000, 1, 167)));
  CHECK(problem_with(workload, case_of(512, 512, 513)));
  CHECK_FALSE(problem_with(workload, case_of(512, 512, 512)));
  Case large = case_of(2048, 2048, 2048);
  large.only_on = grader::DeviceKind::cuda;
  CHECK_FALSE(problem_with(workload, large));
}

TEST_CASE("a workload is found by its name") {
  CHECK(grader::find_workload("tiled_matmul") == &grader::tiled_matmul::workload());
  CHECK(grader::find_workload("other") == nullptr);
}

}  // namespace
