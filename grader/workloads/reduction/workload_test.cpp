#include "workloads/reduction/workload.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "catch.hpp"
#include "judge/patterns.hpp"
#include "lab/distribution.hpp"

namespace {

using grader::Array;
using grader::Case;
using grader::Expectation;
using grader::harness::Job;
using grader::reduction::bounded_sum;
using grader::reduction::BoundedSum;
using testing::contains;
using Floats = std::vector<float>;

Case case_of(const std::string& entry, std::int64_t n, const std::string& distribution = "uniform") {
  Case one;
  one.name = "case";
  one.entry = entry;
  one.workload = {{"n", n}};
  one.distribution = distribution;
  one.seed = 7;
  return one;
}

Job job_of(const std::string& entry, std::int64_t n, const std::string& distribution = "uniform") {
  return grader::reduction::workload().job(case_of(entry, n, distribution));
}

std::vector<double> expected_of(const Job& job, std::size_t output = 0) {
  return grader::reduction::workload().expect(job).at(output).values;
}

BoundedSum bounded(const Floats& values) { return bounded_sum(values.data(), values.size()); }

Floats drawn(std::size_t count, const std::string& distribution, std::uint64_t seed = 1) {
  grader::SplitMix64 random(seed);
  return grader::random_values(count, distribution, random);
}

float in_order(const Floats& values) { return std::accumulate(values.begin(), values.end(), 0.0F); }

float pairwise(Floats values) {
  for (std::size_t stride = 1; stride < values.size(); stride *= 2)
    for (std::size_t i = 0; i + stride < values.size(); i += 2 * stride) values[i] += values[i + stride];
  return values.front();
}

/// Every thread adds the elements that are `threads` apart; then the threads' sums are added in order.
float strided(const Floats& values, std::size_t threads) {
  Floats sums(threads);
  for (std::size_t i = 0; i < values.size(); ++i) sums[i % threads] += values[i];
  return in_order(sums);
}

bool accepts(const BoundedSum& expected, float sum) {
  return std::abs(static_cast<double>(sum) - expected.value) <= expected.tolerance;
}

bool accepts_usual_orders(const Floats& values) {
  const BoundedSum expected = bounded(values);
  Floats sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const Floats reversed(sorted.rbegin(), sorted.rend());
  return accepts(expected, in_order(values)) && accepts(expected, in_order(sorted)) &&
         accepts(expected, in_order(reversed)) && accepts(expected, pairwise(values)) &&
         accepts(expected, strided(values, 32)) && accepts(expected, strided(values, 24576));
}

/// The number of elements whose omission would not be noticed.
std::size_t unnoticed_losses(const Floats& values) {
  const BoundedSum expected = bounded(values);
  return static_cast<std::size_t>(std::count_if(values.begin(), values.end(), [&](float value) {
    return std::abs(value) <=
           expected.tolerance;  // the omission of a zero cannot be noticed, but does no harm
  }));
}

TEST_CASE("every order of additions is accepted") {
  for (const std::string& distribution : grader::summable_distributions())
    for (const std::size_t n : {1, 2, 3, 31, 33, 512, 1000, 4093, 49157}) {
      INFO(distribution << " n = " << n);
      CHECK(accepts_usual_orders(drawn(n, distribution)));
    }
}

TEST_CASE("equal values that are added one after another come close to the bound") {
  const Floats values(1U << 16U, 1.0F + 0x1.8p-10F);
  const BoundedSum expected = bounded(values);
  const double error = std::abs(static_cast<double>(in_order(values)) - expected.value);
  CHECK(error <= expected.tolerance);
  CHECK(error > expected.tolerance / 16);
}

TEST_CASE("a lost element is noticed in the sizes that the lab uses") {
  for (const char* distribution : {"uniform", "positive", "negative", "ascending", "descending", "equal"})
    for (const std::size_t n : {1, 31, 257, 512, 1000}) {
      INFO(distribution << " n = " << n);
      // An element that is tiny compared with the sum of all magnitudes is hidden by rounding errors of some
      // order.
      CHECK(unnoticed_losses(drawn(n, distribution)) <= n / 20);
    }
  for (const char* distribution : {"large", "mixed", "tiny", "cancelling"})
    CHECK(unnoticed_losses(drawn(512, distribution)) < 512 * 2 / 3);
}

TEST_CASE("sums that never round are exact at every size") {
  const Floats values = drawn(262144, "integers");
  const BoundedSum expected = bounded(values);
  CHECK(expected.tolerance == 0);
  CHECK(static_cast<double>(in_order(values)) == expected.value);
  const auto zeros = static_cast<std::size_t>(std::count(values.begin(), values.end(), 0.0F));
  CHECK(unnoticed_losses(values) == zeros);
  CHECK(bounded({0x1p30F, 0x1p10F, -0x1p29F}).tolerance == 0);
  CHECK(bounded({0x1p30F, 0x1p5F}).tolerance > 0);
  CHECK(bounded({0.0F, 0.0F}).tolerance == 0);
}

TEST_CASE("one element is its own sum, exactly") {
  CHECK(bounded({0.1F}).tolerance == 0);
  CHECK(bounded({0.1F}).value == static_cast<double>(0.1F));
}

TEST_CASE("sums of blocks cover 512 elements each, the last block the remaining elements") {
  Job job = job_of("block_sums", 1025);
  std::fill(job.inputs[0].values.begin(), job.inputs[0].values.end(), 2.0F);
  CHECK(expected_of(job) == std::vector<double>{1024, 1024, 2});
  CHECK(job.outputs[0].shape == grader::Shape{3});
}

TEST_CASE("the maximum is exact, also of negative values") {
  const Job job = job_of("reduce_max", 1000, "negative");
  const Expectation largest = grader::reduction::workload().expect(job).front();
  CHECK(largest.values.front() < 0);
  CHECK(largest.tolerances.front() == 0);
}

TEST_CASE("1,000 elements in blocks of 256 threads are 32 warps, one of which diverges") {
  CHECK(expected_of(job_of("vector_add", 1000), 1) == std::vector<double>{32, 1});
  CHECK(expected_of(job_of("vector_add", 1024), 1) == std::vector<double>{32, 0});
  CHECK(expected_of(job_of("vector_add", 1), 1) == std::vector<double>{8, 1});
  CHECK(expected_of(job_of("vector_add", 992), 1) == std::vector<double>{32, 0});
}

TEST_CASE("votes give count, any and all for each group of 32") {
  Job job = job_of("six_votes", 70, "equal");
  job.inputs[0].values[3] = 5;
  std::fill_n(job.inputs[0].values.begin() + 32, 32, 1.0F);
  CHECK(expected_of(job, 0) == std::vector<double>{31, 0, 6});
  CHECK(expected_of(job, 1) == std::vector<double>{1, 0, 1});
  CHECK(expected_of(job, 2) == std::vector<double>{0, 0, 1});
}

TEST_CASE("integers follow their distribution") {
  const auto count_of = [](const char* distribution) {
    return expected_of(job_of("count_six", 1000, distribution)).front();
  };
  CHECK(count_of("equal") == 1000);
  CHECK(count_of("mixed") == 999);
  CHECK(count_of("negative") == 0);
  CHECK(count_of("integers") > 20);
  const Floats integers = job_of("count_six", 1000, "integers").inputs[0].values;
  for (const float like_six :
       {-6.0F, 7.0F, 6.0F + 8, 6.0F + 16, 6.0F + 256, 6.0F + 65536, 6.0F - 65536, 6.0F + 0x1p24F})
    CHECK(std::count(integers.begin(), integers.end(), like_six) > 20);
  const Floats negative = job_of("count_six", 1000, "negative").inputs[0].values;
  CHECK(*std::min_element(negative.begin(), negative.end()) == -8);
  CHECK(*std::max_element(negative.begin(), negative.end()) == -1);
}

TEST_CASE("invalid sizes and distributions are refused with their names") {
  const auto& workload = grader::reduction::workload();
  CHECK(problem_with(workload, case_of("reduce_sum", 0)) == "n is 0 when it should be at least 1");
  CHECK(problem_with(workload, case_of("reduce_sum", 1 << 23)) ==
        "n is 8388608 when it should be at most 4194304");
  CHECK(problem_with(workload, case_of("count_six", 5, "uniform")) ==
        "count_six does not support the distribution \"uniform\" for integers");
  CHECK_FALSE(problem_with(workload, case_of("count_six", 5, "integers")));
  Case large = case_of("reduce_max", 1 << 24, "large");
  large.only_on = grader::DeviceKind::cuda;
  CHECK_FALSE(problem_with(workload, large));
}

/// The judge's diagnostic if each block's sum contains only the elements whose thread passes the test, this
/// many times, and this number for each missing element.
template <class Test>
grader::Diagnostic diagnosis_of(const Job& job, Test holds, float times = 1, float missing = 0) {
  constexpr std::size_t kBlock = grader::reduction::kReductionBlock;
  const Floats& values = job.inputs[0].values;
  Array sums{"sums", job.outputs[0].shape, {}};
  for (std::size_t first = 0; first < values.size(); first += kBlock) {
    float sum = 0;
    for (std::size_t i = first; i < first + kBlock; ++i)
      sum += i >= values.size() ? missing : holds(i - first) ? values[i] : 0;
    sums.values.push_back(times * sum);
  }
  const Expectation expected = grader::reduction::workload().expect(job).front();
  const auto found = diagnose_values({sums, expected}, grader::reduction::workload().hypotheses(job));
  REQUIRE(found);
  return *found;
}

TEST_CASE("a warp that reads one warp's sum in every lane, and missing elements that count 1, are named") {
  const Job job = job_of("block_sums", 5003, "uniform");
  CHECK_THAT(diagnosis_of(
                 job, [](std::size_t t) { return t < 32; }, 16)
                 .what,
             contains("16 times that of its block's first 32 elements"));
  CHECK_THAT(diagnosis_of(
                 job, [](std::size_t) { return true; }, 1, 1)
                 .likely_cause,
             contains("threads without an element contribute 1"));
}

TEST_CASE("missing steps of a tree are named") {
  for (const char* distribution : {"uniform", "integers", "negative"}) {
    const Job job = job_of("block_sums", 5003, distribution);
    INFO(distribution);
    CHECK_THAT(diagnosis_of(job, [](std::size_t t) { return t % 2 == 0; }).what, contains("even threads"));
    CHECK_THAT(diagnosis_of(job, [](std::size_t t) { return t < 256; }).what, contains("first half"));
    CHECK_THAT(diagnosis_of(job, [](std::size_t t) { return t % 32 < 16; }).what, contains("lanes 0 to 15"));
    CHECK_THAT(diagnosis_of(job, [](std::size_t t) { return t < 32; }).what, contains("first 32 elements"));
    CHECK(diagnosis_of(job, [](std::size_t t) { return t % 3 == 0; }).code == "WG-V01");
  }
}

/// The judge's text if reduce_max() returns `max`; empty if that is right.
std::string diagnosis_of_max(const Job& job, float max) {
  const Expectation expected = grader::reduction::workload().expect(job).front();
  const auto found =
      diagnose_values({{"max", {1}, {max}}, expected}, grader::reduction::workload().hypotheses(job));
  return found ? found->code + " " + found->what + "; " + found->likely_cause : "";
}

TEST_CASE("a maximum of floats that are ordered by their bits is named") {
  const Job negative = job_of("reduce_max", 100, "negative");
  const auto& values = negative.inputs[0].values;
  const float smallest = *std::min_element(values.begin(), values.end());
  CHECK_THAT(diagnosis_of_max(negative, smallest),
             contains("WG-V04") && contains("it is the least element") && contains("through their bits"));
  CHECK_THAT(diagnosis_of_max(negative, -std::numeric_limits<float>::infinity()),
             contains("it is -infinity") && contains("are added to the others") && contains("their bits"));
  Job mixed = job_of("reduce_max", 3);
  mixed.inputs[0].values = {3, -2, -7};
  CHECK_THAT(diagnosis_of_max(mixed, -7), contains("it is the least element") && contains("fminf"));
  CHECK(diagnosis_of_max(mixed, 3).empty());
  CHECK_THAT(diagnosis_of_max(mixed, -2), contains("it is one of the elements, but not the greatest"));
}

TEST_CASE("a maximum that is greater than every element is named with its value") {
  Job job = job_of("reduce_max", 3);
  job.inputs[0].values = {-3, -2, -7};
  CHECK_THAT(diagnosis_of_max(job, -1),
             contains("WG-V09") && contains("it is -1, which is greater than every element"));
  CHECK_THAT(diagnosis_of_max(job, 0), contains("it is 0"));
  CHECK_THAT(diagnosis_of_max(job, -3), contains("but not the greatest"));
}

TEST_CASE("a maximum that starts right and is changed by fabsf or a conversion is named") {
  Job job = job_of("reduce_max", 3);
  job.inputs[0].values = {-3e38F, -2e38F, -1e38F};
  CHECK_THAT(diagnosis_of_max(job, std::numeric_limits<float>::infinity()), contains("is infinity"));
  CHECK_THAT(diagnosis_of_max(job, -0x1p31F), contains("the least integer"));
  CHECK_THAT(diagnosis_of_max(job, -4e9F), contains("it is -4e+09"));
  job.inputs[0].values = {-3, 4, -7};
  CHECK_THAT(diagnosis_of_max(job, -0x1p31F), !contains("integer, which is greater"));
}

TEST_CASE("sums of shuffles that double a value are named, those of another kernel are not") {
  const auto cause = [](const char* entry, float times) {
    const Job job = job_of(entry, 5003);
    Array sums{"sums", job.outputs[0].shape, {}};
    const Expectation expected = grader::reduction::workload().expect(job).front();
    for (const double sum : expected.values) sums.values.push_back(times * static_cast<float>(sum));
    return diagnose_values({sums, expected}, grader::reduction::workload().hypotheses(job))->likely_cause;
  };
  for (const float times : {2.0F, 4.0F})
    CHECK_THAT(cause("block_sums_shuffle", times), contains("the first shuffle has offset 32"));
  CHECK_THAT(cause("block_sums_shuffle", 3), !contains("shuffle"));
  CHECK_THAT(cause("block_sums", 2), !contains("shuffle"));
}

TEST_CASE("the step of a tree, or the shuffle, that is missing is named") {
  const auto what = [](const char* entry, auto holds) {
    const Job job = job_of(entry, 1500);
    Array sums{"sums", job.outputs[0].shape, {0, 0, 0}};
    for (std::size_t i = 0; i < job.inputs[0].values.size(); ++i)
      if (holds(i % 512)) sums.values[i / 512] += job.inputs[0].values[i];
    const Expectation expected = grader::reduction::workload().expect(job).front();
    return diagnose_values({sums, expected}, grader::reduction::workload().hypotheses(job))->likely_cause;
  };
  const auto lacks_8 = [](std::size_t t) { return (t & 8) == 0; };
  CHECK(what("block_sums", lacks_8) == "the step with stride 8 is missing");
  CHECK(what("block_sums_shuffle", lacks_8) == "the shuffle with offset 8 is missing");
  CHECK(what("block_sums", [](std::size_t t) { return (t & 64) == 0; }) ==
        "the step with stride 64 is missing");
  CHECK(what("block_sums_shuffle", [](std::size_t t) { return (t & 1) == 0 && (t / 32 & 1) == 0; }) ==
        "the shuffle with offset 1 is missing");
}

TEST_CASE("shuffles from the lanes below give lane 0 its own value in every step") {
  const Job job = job_of("block_sums_shuffle", 1500);
  const auto& values = job.inputs[0].values;
  Array sums{"sums", job.outputs[0].shape, {1024 * values[0], 1024 * values[512], 1024 * values[1024]}};
  const Expectation expected = grader::reduction::workload().expect(job).front();
  const auto found = diagnose_values({sums, expected}, grader::reduction::workload().hypotheses(job));
  CHECK_THAT(found->likely_cause, contains("__shfl_up_sync"));
}

TEST_CASE("a count that every lane adds is named, and the position of a bit in place of a number of bits") {
  const auto cause = [](const Job& job, const char* output, std::vector<float> wrong) {
    for (const auto& expected : grader::reduction::workload().expect(job))
      if (expected.name == output)
        return diagnose_values({{output, expected.shape, std::move(wrong)}, expected},
                               grader::reduction::workload().hypotheses(job))
            ->likely_cause;
    return std::string();
  };
  const Job count = job_of("count_six", 1000);
  const double sixes = grader::reduction::workload().expect(count).front().values[0];
  CHECK_THAT(cause(count, "count", {static_cast<float>(32 * sixes)}), contains("every lane adds"));
  Job votes = job_of("six_votes", 160);
  for (std::size_t i = 0; i < 160; ++i) votes.inputs[0].values[i] = i % 32 < 3 + i / 32 ? 0.0F : 6.0F;
  CHECK_THAT(cause(votes, "counts", {4, 5, 6, 7, 8}), contains("__ffs"));
}

TEST_CASE("a count that is not cleared, and a partial warp that does not count as all sixes, are named") {
  Job count = job_of("count_six", 40);
  const auto right = grader::reduction::workload().expect(count).front();
  const auto wrong = static_cast<float>(right.values[0] - 1);
  const auto found =
      diagnose_values({{"count", {1}, {wrong}}, right}, grader::reduction::workload().hypotheses(count));
  CHECK_THAT(found->likely_cause, contains("not set to 0"));
  const auto two_bytes =
      diagnose_values({{"count", {1}, {static_cast<float>(right.values[0] - 65536)}}, right},
                      grader::reduction::workload().hypotheses(count));
  CHECK_THAT(two_bytes->what, contains("only its first two bytes"));

  Job warps = job_of("count_six", 300);
  std::fill(warps.inputs[0].values.begin(), warps.inputs[0].values.end(), 6.0F);
  const auto first_warps =
      diagnose_values({{"count", {1}, {64}}, grader::reduction::workload().expect(warps)[0]},
                      grader::reduction::workload().hypotheses(warps));
  CHECK_THAT(first_warps->what, contains("only the first warp of each block"));

  Job votes = job_of("six_votes", 40);
  std::fill(votes.inputs[0].values.begin(), votes.inputs[0].values.end(), 6.0F);
  const auto all = grader::reduction::workload().expect(votes).at(2);
  REQUIRE(all.name == "all");
  const auto partial =
      diagnose_values({{"all", {2}, {1, 0}}, all}, grader::reduction::workload().hypotheses(votes));
  CHECK_THAT(partial->likely_cause, contains("lanes without an element"));
  const auto counts = grader::reduction::workload().expect(votes).at(0);
  REQUIRE(counts.name == "counts");
  const auto bits =
      diagnose_values({{"counts", {2}, {-1, 255}}, counts}, grader::reduction::workload().hypotheses(votes));
  CHECK_THAT(bits->next_step, contains("__popc"));
  const auto any = grader::reduction::workload().expect(votes).at(1);
  const auto ballots =
      diagnose_values({{"any", {2}, {-1, 255}}, any}, grader::reduction::workload().hypotheses(votes));
  CHECK_THAT(ballots->what, contains("it is the ballot of the warp"));
}

TEST_CASE("elements that a wrong comparison takes for 6 are named") {
  const auto cause = [](const char* entry, const char* output, const Floats& found) {
    Job job = job_of(entry, 40);
    job.inputs[0].values.assign(40, 6.0F);
    std::fill_n(job.inputs[0].values.begin(), 9, -6.0F);
    std::fill_n(job.inputs[0].values.begin() + 9, 5, 7.0F);
    const auto right = grader::reduction::workload().expect(job).at(0);
    return diagnose_values({{output, {static_cast<std::uint32_t>(found.size())}, found}, right},
                           grader::reduction::workload().hypotheses(job))
        ->likely_cause;
  };
  CHECK_THAT(cause("count_six", "count", {35}), contains("abs()"));
  CHECK_THAT(cause("count_six", "count", {31}), contains(">= in place of =="));
  CHECK_THAT(cause("count_six", "count", {26 * 6}), contains("each six adds 6"));
  CHECK_THAT(cause("count_six", "count", {1}), contains("lane 0"));
  CHECK_THAT(cause("six_votes", "counts", {14, 0}), contains("opposite"));
  CHECK_THAT(cause("count_six_atomic", "count", {40}), contains("nothing is compared"));
}

TEST_CASE("typical numbers of warps are named, from one wrong number on") {
  const auto text = [](std::int64_t n, float warps, float divergent) {
    const Job job = job_of("vector_add", n);
    const auto found =
        diagnose_values({{"warps", {2}, {warps, divergent}}, grader::reduction::workload().expect(job).at(1)},
                        grader::reduction::workload().hypotheses(job));
    return found ? found->what : "";
  };
  CHECK(text(1024, 32, 0).empty());
  CHECK_THAT(text(1024, 32, 1), contains("although n is a multiple of 32"));
  CHECK_THAT(text(1000, 32, 0), contains("no warp is counted as divergent"));
  CHECK_THAT(text(257, 16, 8), contains("without any element"));
  CHECK_THAT(text(257, 9, 1), contains("only the warps with an element"));
  CHECK_THAT(text(257, 2, 1), contains("blocks are counted"));
  CHECK_THAT(text(257, 512, 1), contains("threads are counted"));
  CHECK_THAT(text(1000, 1, 32), contains("the two numbers are exchanged"));
  CHECK_THAT(text(257, 8, 1), contains("rounded down"));
  CHECK_THAT(text(257, 77, 1), !contains("is wrong: "));
}

}  // namespace
