#include "workloads/min_plus/workload.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "catch.hpp"
#include "judge/patterns.hpp"
#include "lab/distribution.hpp"

namespace {

using grader::Array;
using grader::Case;
using grader::harness::Job;
using grader::harness::Place;
using testing::contains;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

Case case_of(std::int64_t n, const std::string& entry = "step", const std::string& distribution = "uniform",
             std::int64_t infinite_percent = 0) {
  Case one;
  one.name = "case";
  one.entry = entry;
  one.workload = {{"n", n}, {"infinite_percent", infinite_percent}};
  one.distribution = distribution;
  one.seed = 42;
  return one;
}

Job job_of(std::int64_t n, const std::string& distribution = "uniform", std::int64_t infinite_percent = 0) {
  return grader::min_plus::workload().job(case_of(n, "step", distribution, infinite_percent));
}

std::vector<double> expected_of(const Job& job) {
  return grader::min_plus::workload().expect(job).front().values;
}

/// The output of a kernel whose element (i, j) is `element`.
template <class Element>
Array output_of(const Job& job, Element element) {
  const std::size_t n = job.inputs[0].shape[0];
  Array r{"r", job.outputs[0].shape, std::vector<float>(n * n)};
  for (std::size_t i = 0; i < n * n; ++i) r.values[i] = element(i / n, i % n);
  return r;
}

/// The minimum of `candidate(k)` for k in [from, to), computed from the last to the first.
template <class Candidate>
float least(std::size_t from, std::size_t to, Candidate candidate) {
  float least = kInfinity;
  for (std::size_t k = to; k-- > from;) least = std::min(least, candidate(k));
  return least;
}

struct Diagnosis {
  std::string code, what;
};

template <class Element>
Diagnosis diagnose(const Job& job, Element element) {
  const Array r = output_of(job, element);
  const auto expected = grader::min_plus::workload().expect(job);
  const auto found =
      grader::diagnose_values({r, expected[0], std::nullopt}, grader::min_plus::workload().hypotheses(job));
  return found ? Diagnosis{found->code, found->what} : Diagnosis{"none", ""};
}

TEST_CASE("min-plus: a step takes host arrays, padding device arrays") {
  const Job step = job_of(5);
  CHECK(step.inputs[0].place == Place::host);
  CHECK(step.outputs[0].place == Place::host);
  CHECK(step.outputs[0].shape == grader::Shape{5, 5});
  const Job padding = grader::min_plus::workload().job(case_of(65, "pad_transpose"));
  CHECK(padding.inputs[0].place == Place::device);
  CHECK(padding.outputs[0].shape == grader::Shape{128, 128});
  CHECK(padding.outputs[1].name == "transposed");
  CHECK(grader::min_plus::workload().job(case_of(64, "pad_transpose")).outputs[0].shape ==
        grader::Shape{64, 64});
}

TEST_CASE("min-plus: the oracle finds the shortest of all two-step paths") {
  Job job = job_of(3);
  job.inputs[0].values = {0, 8, 2, 1, 0,
                          9, 4, 5, 0};  // an example as in the lectures: from i to j over any k
  CHECK(expected_of(job) == std::vector<double>{0, 7, 2, 1, 0, 3, 4, 5, 0});
  job.inputs[0].values[1] = kInfinity;
  job.inputs[0].values[7] = kInfinity;
  CHECK(std::isinf(expected_of(job)[1]));  // no path from 0 to 1
}

TEST_CASE("min-plus: rows are right for every number of threads") {
  for (const std::int64_t extent : {511, 517}) {  // one thread; two threads if there are two cores
    const Job job = job_of(extent);
    const auto& d = job.inputs[0].values;
    const auto n = static_cast<std::size_t>(extent);
    CHECK(diagnose(job, [&](std::size_t i, std::size_t j) {
            return least(0, n, [&](std::size_t k) { return d[i * n + k] + d[k * n + j]; });
          }).code == "none");
  }
}

TEST_CASE("min-plus: the order of the floats' bits as integers is named") {
  const Job job = job_of(37, "negative");
  const auto& d = job.inputs[0].values;
  const auto found = diagnose(job, [&](std::size_t i, std::size_t j) {
    auto least = std::bit_cast<std::int32_t>(kInfinity);
    for (std::size_t k = 0; k < 37; ++k)
      least = std::min(least, std::bit_cast<std::int32_t>(d[i * 37 + k] + d[k * 37 + j]));
    return std::bit_cast<float>(least);
  });
  CHECK(found.code == "WG-V04");
  CHECK_THAT(found.what, contains("compared as integers"));
}

TEST_CASE("min-plus: every order of candidates gives exactly the expected floats") {
  for (const std::string& distribution : grader::distributions())
    for (const std::int64_t percent : {0, 30, 100}) {
      const Job job = job_of(37, distribution, percent);
      const auto& d = job.inputs[0].values;
      INFO(distribution << ", " << percent << " % infinite");
      CHECK(diagnose(job, [&](std::size_t i, std::size_t j) {
              return least(0, 37, [&](std::size_t k) { return d[i * 37 + k] + d[k * 37 + j]; });
            }).code == "none");
    }
}

TEST_CASE("min-plus: sums in double that are rounded once at the end pass, sums in half precision fail") {
  const Job job = job_of(20);
  const auto& d = job.inputs[0].values;
  const auto sum = [&](std::size_t i, std::size_t k, std::size_t j) {
    return static_cast<double>(d[i * 20 + k]) + static_cast<double>(d[k * 20 + j]);
  };
  CHECK(diagnose(job, [&](std::size_t i, std::size_t j) {
          return least(0, 20, [&](std::size_t k) { return static_cast<float>(sum(i, k, j)); });
        }).code == "none");
  CHECK(diagnose(job, [&](std::size_t i, std::size_t j) {
          return least(0, 20, [&](std::size_t k) {
            return static_cast<float>(std::round(sum(i, k, j) * 2048) / 2048);
          });
        }).code != "none");
}

TEST_CASE("min-plus: padded matrices contain the input, its transpose, and infinity") {
  const Job job = grader::min_plus::workload().job(case_of(3, "pad_transpose"));
  const auto expected = grader::min_plus::workload().expect(job);
  const auto& d = job.inputs[0].values;
  CHECK(expected[0].values[2] == static_cast<double>(d[2]));
  CHECK(expected[1].values[2 * 64] == static_cast<double>(d[2]));
  CHECK(std::count_if(expected[0].values.begin(), expected[0].values.end(),
                      [](double value) { return std::isinf(value); }) == 64 * 64 - 9);
}

TEST_CASE("min-plus: the share of infinite distances is as the case specifies") {
  const auto infinite = [](std::int64_t percent) {
    const Job job = job_of(100, "mixed", percent);
    const auto& d = job.inputs[0].values;
    return std::count(d.begin(), d.end(), kInfinity);
  };
  CHECK(infinite(0) == 0);
  CHECK(infinite(50) > 4700);
  CHECK(infinite(50) < 5300);
  CHECK(infinite(100) == 10000);
}

TEST_CASE("min-plus: typical mistakes are named") {
  const Job job = job_of(70);
  const auto& d = job.inputs[0].values;
  const auto at = [&](std::size_t i, std::size_t j) { return d[i * 70 + j]; };
  const auto part = [&](std::size_t from, std::size_t to) {
    return diagnose(job, [&, from, to](std::size_t i, std::size_t j) {
      return least(from, to, [&](std::size_t k) { return at(i, k) + at(k, j); });
    });
  };
  CHECK(part(0, 70).code == "none");
  CHECK_THAT(part(0, 64).what, contains("the minimum of its first 64 of 70 candidates"));
  CHECK_THAT(part(1, 70).what, contains("the minimum of its last 69 of 70 candidates"));
  const Diagnosis zero = diagnose(job, [&](std::size_t i, std::size_t j) {
    return std::min(0.0F, least(0, 70, [&](std::size_t k) { return at(i, k) + at(k, j); }));
  });
  CHECK(zero.code == "none");  // with negative distances, 0 is never the minimum
  const auto skipping = [&](bool skips_i, bool skips_j) {
    return diagnose(job, [&, skips_i, skips_j](std::size_t i, std::size_t j) {
      return least(0, 70, [&](std::size_t k) {
        return (skips_i && k == i) || (skips_j && k == j) ? kInfinity : at(i, k) + at(k, j);
      });
    });
  };
  CHECK_THAT(skipping(true, true).what, contains("the candidates with k = i and k = j are left out"));
  CHECK_THAT(skipping(false, true).what, contains("the candidates with k = j are left out"));
  const Diagnosis rows = diagnose(job, [&](std::size_t i, std::size_t j) {
    return least(0, 70, [&](std::size_t k) { return at(i, k) + at(j, k); });
  });
  CHECK_THAT(rows.what, contains("row j is used instead of column j"));
  CHECK(rows.code == "WG-V04");
  const Diagnosis columns = diagnose(job, [&](std::size_t i, std::size_t j) {
    return least(0, 70, [&](std::size_t k) { return at(k, i) + at(k, j); });
  });
  CHECK_THAT(columns.what, contains("column i is used instead of row i"));
  const auto padded =
      grader::min_plus::workload().expect(grader::min_plus::workload().job(case_of(70, "pad_transpose")));
  const Diagnosis stride = diagnose(job, [&](std::size_t i, std::size_t j) {
    return least(0, 70, [&](std::size_t k) {
      return static_cast<float>(padded[1].values[k * 70 + i]) +
             static_cast<float>(padded[0].values[k * 70 + j]);
    });
  });
  CHECK_THAT(stride.what, contains("read with rows of n elements"));
  const Diagnosis padded_rows = diagnose(job, [&](std::size_t i, std::size_t j) {
    const std::size_t row = (70 * i + j) / 128, column = (70 * i + j) % 128;
    return column < 70 ? least(0, 70, [&](std::size_t k) { return at(row, k) + at(k, column); }) : kInfinity;
  });
  CHECK_THAT(padded_rows.what, contains("its rows are those of a padded matrix"));
}

TEST_CASE("min-plus: a minimum that starts at 0 or at the largest float is named") {
  const auto starting_at = [](const Job& job, float start) {
    const auto& d = job.inputs[0].values;
    return diagnose(job, [&, start](std::size_t i, std::size_t j) {
      return std::min(start, least(0, 40, [&](std::size_t k) { return d[i * 40 + k] + d[k * 40 + j]; }));
    });
  };
  const Diagnosis zero = starting_at(job_of(40, "positive"), 0);
  CHECK(zero.code == "WG-V09");
  CHECK_THAT(zero.what, contains("0 counts as one more candidate"));
  CHECK_THAT(starting_at(job_of(40, "uniform", 98), std::numeric_limits<float>::max()).what,
             contains("the largest finite float"));
}

TEST_CASE("min-plus: a shorter path that counts as a candidate is named") {
  const Job job = job_of(40, "positive");
  const auto& d = job.inputs[0].values;
  const auto at = [&](std::size_t i, std::size_t j) { return d[i * 40 + j]; };
  const auto right = [&](std::size_t i, std::size_t j) {
    return least(0, 40, [&](std::size_t k) { return at(i, k) + at(k, j); });
  };
  CHECK_THAT(diagnose(job, [&](auto i, auto j) { return std::min(at(i, j), right(i, j)); }).what,
             contains("d[i][j] counts as one more candidate"));
  CHECK_THAT(diagnose(job, [&](auto i, auto j) { return i == j ? 0.0F : right(i, j); }).what,
             contains("candidate of the elements on the diagonal"));
  const auto without_loops = [&](std::size_t i, std::size_t j) { return i == j ? 0.0F : at(i, j); };
  CHECK_THAT(diagnose(job,
                      [&](auto i, auto j) {
                        return least(0, 40,
                                     [&](auto k) { return without_loops(i, k) + without_loops(k, j); });
                      })
                 .what,
             contains("the diagonal of d counts as 0"));
}

TEST_CASE("min-plus: a number that longer edges are compared with is named") {
  const Job job = job_of(40, "large", 90);
  const auto& d = job.inputs[0].values;
  const auto without = [&](bool are_both_compared) {
    return diagnose(job, [&, are_both_compared](std::size_t i, std::size_t j) {
      return least(0, 40, [&](std::size_t k) {
        const float to = d[i * 40 + k], from = d[k * 40 + j];
        return to < 1e9F && (from < 1e9F || !are_both_compared) ? to + from : kInfinity;
      });
    });
  };
  for (const bool are_both_compared : {false, true})
    CHECK_THAT(without(are_both_compared).what, contains("edges of length 1e+09 or more are left out"));
}

TEST_CASE("min-plus: padding with 0 is named") {
  const Job job = grader::min_plus::workload().job(case_of(40, "pad_transpose"));
  const auto expected = grader::min_plus::workload().expect(job);
  for (const auto& one : expected) {
    Array output{one.name, one.shape, std::vector<float>(one.values.begin(), one.values.end())};
    std::replace(output.values.begin(), output.values.end(), kInfinity, 0.0F);
    const auto found =
        grader::diagnose_values({output, one, std::nullopt}, grader::min_plus::workload().hypotheses(job));
    REQUIRE(found);
    CHECK(found->code == "WG-V05");
    CHECK_THAT(found->what, contains("padded with 0"));
  }
}

TEST_CASE("min-plus: a guard of the whole index is named") {
  const Job job = grader::min_plus::workload().job(case_of(40, "pad_transpose"));
  const auto expected = grader::min_plus::workload().expect(job);
  for (const bool is_transposed : {false, true}) {
    const auto& one = expected.at(is_transposed ? 1 : 0);
    Array output{one.name, one.shape, {one.values.begin(), one.values.end()}};
    for (std::size_t row = 0; row < 39; ++row)
      for (std::size_t column = 40; column < 64; ++column)
        if (40 * row + column < 1600)
          output.values[is_transposed ? 64 * column + row : 64 * row + column] =
              job.inputs[0].values[40 * row + column];
    const auto found =
        grader::diagnose_values({output, one, std::nullopt}, grader::min_plus::workload().hypotheses(job));
    REQUIRE(found);
    CHECK_THAT(found->likely_cause, contains("the guard compares the whole index"));
  }
}

TEST_CASE("min-plus: rows or columns that are padded with a large number are named") {
  const Job job = grader::min_plus::workload().job(case_of(40, "pad_transpose"));
  const auto expected = grader::min_plus::workload().expect(job).front();
  for (const bool of_rows : {true, false}) {
    Array output{expected.name, expected.shape, {expected.values.begin(), expected.values.end()}};
    for (std::size_t i = 0; i < output.values.size(); ++i)
      if ((of_rows ? i / 64 : i % 64) >= 40) output.values[i] = 3.39615e38F;
    const auto found = grader::diagnose_values({output, expected, std::nullopt},
                                               grader::min_plus::workload().hypotheses(job));
    REQUIRE(found);
    CHECK(found->code == "WG-V05");
    CHECK_THAT(found->what, contains(of_rows ? "the rows beyond the matrix hold 3.39615e+38"
                                             : "the columns beyond the matrix hold 3.39615e+38"));
  }
}

TEST_CASE("min-plus: a loop that never runs is named, not reported as unwritten memory") {
  for (const std::int64_t n : {40, 64}) {
    const Diagnosis nothing = diagnose(job_of(n), [](std::size_t, std::size_t) { return kInfinity; });
    CHECK(nothing.code == "WG-V08");
    CHECK_THAT(nothing.what, contains("the minimum of no candidates"));
  }
}

TEST_CASE("min-plus: work is counted in candidates and, as in the source, in two operations per candidate") {
  const auto quantities = grader::min_plus::workload().quantities(job_of(10));
  CHECK(quantities.at("min_plus") == 1000);
  CHECK(quantities.at("useful_operation") == 2000);
}

TEST_CASE("min-plus: invalid sizes are refused with their names") {
  CHECK(problem_with(grader::min_plus::workload(), case_of(0)) == "n is 0 when it should be at least 1");
  CHECK(problem_with(grader::min_plus::workload(), case_of(513)));
  CHECK_FALSE(problem_with(grader::min_plus::workload(), case_of(512)));
  Case large = case_of(2048);
  large.only_on = grader::DeviceKind::cuda;
  CHECK_FALSE(problem_with(grader::min_plus::workload(), large));
  large.entry = "step_v1";
  CHECK(problem_with(grader::min_plus::workload(), large) ==
        "n is 2048 when it should be at most 1024 for step_v1");
  CHECK(problem_with(grader::min_plus::workload(), case_of(4, "step", "uniform", 101)) ==
        "infinite_percent is 101 when it should be at most 100");
}

TEST_CASE("min-plus: other operations, and minima of one candidate, are named") {
  const Job job = job_of(70);
  const auto& d = job.inputs[0].values;
  const auto text = [&](float (*candidate)(float, float)) {
    return diagnose(job,
                    [&](std::size_t i, std::size_t j) {
                      return least(0, 70,
                                   [&](std::size_t k) { return candidate(d[i * 70 + k], d[k * 70 + j]); });
                    })
        .what;
  };
  CHECK_THAT(text([](float a, float b) { return a * b; }), contains("minimum of products"));
  CHECK_THAT(text([](float a, float b) { return a - b; }), contains("minimum of differences"));
  CHECK_THAT(text([](float a, float b) { return std::min(a, b); }), contains("minimum of single lengths"));
  CHECK_THAT(text([](float a, float b) { return std::trunc(a + b); }), contains("without their fractions"));
  CHECK_THAT(
      diagnose(job, [&](std::size_t i, std::size_t j) { return d[i * 70 + 69] + d[69 * 70 + j]; }).what,
      contains("the last of its candidates alone"));
  CHECK_THAT(diagnose(job, [&](std::size_t i, std::size_t j) { return d[i * 70] + d[j]; }).what,
             contains("the first of its candidates alone"));
  CHECK_THAT(diagnose(job,
                      [&](std::size_t i, std::size_t j) {
                        return least(0, 16, [&](std::size_t k) { return d[i * 70 + k] + d[k * 70 + j]; });
                      })
                 .what,
             contains("minimum of its first 16 of 70 candidates"));
}

TEST_CASE("min-plus: a thread's elements that are mixed up are named") {
  const Job job = job_of(70);
  const auto& d = job.inputs[0].values;
  const auto text = [&](auto place) {
    return diagnose(job,
                    [&](std::size_t i, std::size_t j) {
                      const auto [row, column] = place(i, j);
                      if (row >= 70 || column >= 70) return kInfinity;
                      return least(0, 70,
                                   [&](std::size_t k) { return d[row * 70 + k] + d[k * 70 + column]; });
                    })
        .what;
  };
  using Source = std::pair<std::size_t, std::size_t>;
  CHECK_THAT(text([](std::size_t i, std::size_t j) {  // 8 neighbours, stored 8 apart
               return Source(i, j / 64 * 64 + j % 8 + j % 64 / 8);
             }),
             contains("columns of a thread's elements are loaded from other places"));
  CHECK_THAT(
      text([](std::size_t i, std::size_t j) { return Source(i / 64 * 64 + i % 8 * 8 + i % 64 / 8, j); }),
      contains("rows of a thread's elements are loaded from other places"));
  CHECK_THAT(text([](std::size_t i, std::size_t j) {  // x[a] + y[a]
               return Source(i, j / 64 * 64 + j % 8 + i % 64 / 8 * 8);
             }),
             contains("each column is that of the element's row"));
}

TEST_CASE("min-plus: a large number in place of infinity is named") {
  const Job job = job_of(40, "uniform", 98);
  const auto& d = job.inputs[0].values;
  const Diagnosis start = diagnose(job, [&](std::size_t i, std::size_t j) {
    return std::min(1e6F, least(0, 40, [&](std::size_t k) { return d[i * 40 + k] + d[k * 40 + j]; }));
  });
  CHECK(start.code == "WG-V09");
  CHECK_THAT(start.what, contains("no element is greater than 1e+06"));
  const Job padding = grader::min_plus::workload().job(case_of(40, "pad_transpose"));
  const auto expected = grader::min_plus::workload().expect(padding).front();
  Array output{expected.name, expected.shape, {expected.values.begin(), expected.values.end()}};
  std::replace(output.values.begin(), output.values.end(), kInfinity, 9999.0F);
  const auto found = grader::diagnose_values({output, expected, std::nullopt},
                                             grader::min_plus::workload().hypotheses(padding));
  REQUIRE(found);
  CHECK(found->code == "WG-V05");
  CHECK_THAT(found->what, contains("padded with 9999 instead of infinity"));
}

}  // namespace
