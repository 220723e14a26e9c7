#include "workloads/pinned_streams/workload.hpp"

#include <cmath>

#include "catch.hpp"
#include "judge/patterns.hpp"
#include "lab/distribution.hpp"

namespace {

using grader::Case;
using grader::harness::Job;
using grader::harness::Place;
using grader::pinned_streams::device_facts_of;

Case case_of(const std::string& entry, std::int64_t n, std::int64_t rounds = 1,
             const std::string& distribution = "uniform") {
  Case one;
  one.name = "case";
  one.entry = entry;
  one.workload = {{"n", n}, {"segment", 16}, {"rounds", rounds}};
  one.distribution = distribution;
  one.seed = 7;
  if (entry == "device_facts") one.only_on = grader::DeviceKind::virtual_gpu;
  return one;
}

Job job_of(const Case& one) { return grader::pinned_streams::workload().job(one); }

/// Elements whose value, computed by sum(a, b, rounds), is outside the tolerance.
template <class Sum>
std::size_t outside(const Job& job, Sum sum) {
  const auto expected = grader::pinned_streams::workload().expect(job).front();
  const auto rounds = static_cast<int>(job.scalars.at("rounds"));
  std::size_t count = 0;
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    const double value = sum(job.inputs[0].values[i], job.inputs[1].values[i], rounds);
    if (!(std::abs(value - expected.values[i]) <= expected.tolerances[i])) ++count;
  }
  return count;
}

float in_turn(float a, float b, int rounds) {
  for (int round = 0; round < rounds; ++round) a += b;
  return a;
}
float fused(float a, float b, int rounds) { return std::fma(static_cast<float>(rounds), b, a); }
float one_less(float a, float b, int rounds) { return in_turn(a, b, rounds - 1); }

std::vector<double> facts(std::int64_t n, const std::map<std::string, std::int64_t>& device) {
  Case one = case_of("device_facts", n);
  one.device = device;
  return grader::pinned_streams::workload().expect(job_of(one)).front().values;
}

TEST_CASE("arrays are in host memory, pinned if the function requires that") {
  CHECK(job_of(case_of("add_staged", 5)).inputs[1].place == Place::host);
  CHECK(job_of(case_of("add_streams", 5)).outputs[0].place == Place::host);
  const Job pinned = job_of(case_of("add_pipelined", 5));
  CHECK(pinned.inputs[0].place == Place::pinned);
  CHECK(pinned.outputs[0].place == Place::pinned);
  CHECK(pinned.needs_launch);
  CHECK(grader::pinned_streams::workload().time_measure() == grader::TimeMeasure::call);
}

TEST_CASE("the oracle adds b once per round") {
  Job job = job_of(case_of("add_staged", 3, 5));
  job.inputs[0].values = {1, 2, 3};
  job.inputs[1].values = {10, 0, -1};
  CHECK(grader::pinned_streams::workload().expect(job).front().values == std::vector<double>{51, 2, -2});
}

TEST_CASE("more additions than the virtual GPU can do are compared with a tolerance") {
  const Job job = job_of(case_of("add_pipelined", (1 << 18) + 1, 2048));
  const auto sums = grader::pinned_streams::workload().expect(job).front();
  CHECK(sums.tolerances.front() > 0);
  CHECK(sums.values.front() ==
        double{job.inputs[0].values.front()} + 2048.0 * double{job.inputs[1].values.front()});
}

TEST_CASE("the given kernel passes, and a missing round and a closed form, which does less work, fail") {
  for (const std::string& distribution : grader::summable_distributions())
    for (const int rounds : {1, 2, 3, 960, 4000}) {
      const Job job = job_of(case_of("add_staged", 500, rounds, distribution));
      INFO(distribution << " rounds = " << rounds);
      CHECK(outside(job, in_turn) == 0);
      if (distribution == "uniform" && rounds == 960) CHECK(outside(job, fused) > 400);
      if (distribution != "mixed" && rounds < 1000) CHECK(outside(job, one_less) > 400);
    }
}

TEST_CASE("facts match the case's device") {
  CHECK(facts(1000, {{"copy_engines", 1}}) == std::vector<double>{1, 1, 0, 1});
  CHECK(facts(1000, {{"copy_engines", 2}}) == std::vector<double>{2, 1, 1, 1});
  const std::int64_t bytes = 3 << 20;
  CHECK(facts(1 << 18, {{"global_bytes", bytes}})[3] == 1);
  CHECK(facts((1 << 18) + 1, {{"global_bytes", bytes}})[3] == 0);
  CHECK(facts(200'000'000, {{"global_bytes", 1 << 29}})[3] == 0);  // 2.4 GB, more than an int holds
  // 4 n and 12 n are 4 and 12 modulo 2^32; 3 n and 12 n are 2 and 8
  CHECK(facts((1 << 30) + 1, {{"global_bytes", 1 << 29}})[3] == 0);
  CHECK(facts(1'431'655'766, {{"global_bytes", 1 << 29}})[3] == 0);
  CHECK_FALSE(job_of(case_of("device_facts", 1)).needs_launch);
}

TEST_CASE("invalid cases are refused") {
  const auto& workload = grader::pinned_streams::workload();
  CHECK(problem_with(workload, case_of("add_staged", 0)) == "n is 0 when it should be at least 1");
  Case large = case_of("add_staged", 1 << 20, 1000);
  CHECK(problem_with(workload, large) == "n * rounds is 1048576000 when it should be at most 536870912");
  large.only_on = grader::DeviceKind::cuda;
  CHECK_FALSE(problem_with(workload, large));
  Case tight = case_of("add_streams", 100'000);
  tight.workload["segment"] = 29'128;
  tight.device = {{"global_bytes", 1 << 20}};
  CHECK(problem_with(workload, tight) == "3 sets of buffers take 1048608 bytes, but the device has 1048576");
  Case facts_everywhere = case_of("device_facts", 1);
  facts_everywhere.only_on.reset();
  CHECK(problem_with(workload, facts_everywhere));
}

TEST_CASE("an answer from another property of the device is named with both answers") {
  Case one = case_of("device_facts", 1000);
  one.device = {{"copy_engines", 1}};
  const Job job = job_of(one);
  const auto expected = grader::pinned_streams::workload().expect(job).front();
  REQUIRE(expected.values == std::vector<double>{1, 1, 0, 1});
  const auto found = grader::diagnose_values({{"facts", {4}, {1, 0, 0, 1}}, expected},
                                             grader::pinned_streams::workload().hypotheses(job));
  REQUIRE(found);
  CHECK_THAT(found->what, testing::contains("facts[1] is 0 when it should be 1"));
  CHECK_THAT(found->next_step, testing::contains("from asyncEngineCount: at least 1"));
}

TEST_CASE("another number of rounds is named, a number that fits no model is not") {
  const auto text = [](int rounds, auto sum) {
    const Job job = job_of(case_of("add_staged", 50, rounds));
    const auto expected = grader::pinned_streams::workload().expect(job).front();
    grader::Array c{"c", expected.shape, {}};
    for (std::size_t i = 0; i < 50; ++i)
      c.values.push_back(sum(job.inputs[0].values[i], job.inputs[1].values[i], rounds));
    const auto found =
        grader::diagnose_values({c, expected}, grader::pinned_streams::workload().hypotheses(job));
    return found ? found->what : "";
  };
  CHECK(text(5, in_turn).empty());
  CHECK_THAT(text(5, one_less), testing::contains("b is added 4 times, not 5 times"));
  CHECK_THAT(text(5, [](float a, float b, int) { return a + b; }),
             testing::contains("b is added once, not 5 times"));
  CHECK_THAT(text(5, [](float a, float b, int) { return a + 2.5F * b; }), !testing::contains("is added"));
}

TEST_CASE("arrays in another order and copies of other segments are named") {
  Case one = case_of("add_staged", 50, 3);
  one.workload["segment"] = 8;
  const Job job = job_of(one);
  const auto &a = job.inputs[0].values, &b = job.inputs[1].values;
  const auto expected = grader::pinned_streams::workload().expect(job).front();
  const auto text = [&](auto operands) {
    grader::Array c{"c", expected.shape, {}};
    for (std::size_t i = 0; i < 50; ++i) {
      const auto [first, term] = operands(i);
      c.values.push_back(in_turn(first, term, 3));
    }
    const auto found =
        grader::diagnose_values({c, expected}, grader::pinned_streams::workload().hypotheses(job));
    return found ? found->what + " " + found->likely_cause : "";
  };
  using Pair = std::pair<float, float>;
  CHECK(text([&](std::size_t i) { return Pair(a[i], b[i]); }).empty());
  CHECK_THAT(text([&](std::size_t i) { return Pair(b[i], a[i]); }), testing::contains("a and b are swapped"));
  CHECK_THAT(text([&](std::size_t i) { return Pair(a[i], a[i]); }), testing::contains("both operands are a"));
  CHECK_THAT(text([&](std::size_t i) { return Pair(a[i % 8], b[i]); }),
             testing::contains("the first segment of a") && testing::contains("lacks the segment's offset"));
  CHECK_THAT(text([&](std::size_t i) { return Pair(a[i], b[i / 8 % 2 == 1 ? i - 8 : i]); }),
             testing::contains("the segment of b before its own"));
  CHECK_THAT(text([&](std::size_t i) { return Pair(a[i], b[i / 8 + i % 8]); }),
             testing::contains("segment s of b begins at element s"));
  CHECK_THAT(text([&](std::size_t i) { return Pair(a[i / 8 + i % 8], b[i / 8 + i % 8]); }),
             testing::contains("segment s of a, and that of b"));
  CHECK_THAT(text([&](std::size_t i) {  // segments of 8, and one of 2 elements, which copies none
               const std::size_t first = i / 8 * 8, copied = std::min<std::size_t>(8, 50 - first) / 4;
               const bool is_earlier = i - first < 2 && first >= 16;
               return Pair(i - first < copied ? a[i] : is_earlier ? a[i - 16] : 0, b[i]);
             }),
             testing::contains("only the first quarter of each segment of a") &&
                 testing::contains("sizeof(float) is missing"));
  CHECK_THAT(text([&](std::size_t i) { return Pair(a[i], b[(i + 1) % 50]); }),
             testing::contains("is shifted") || testing::contains("no known pattern"));
}

TEST_CASE("a comparison of sizes that is wrong at the edge is named") {
  Case one = case_of("device_facts", 100);
  one.device = {{"copy_engines", 2}, {"global_bytes", 1200}};
  const Job job = job_of(one);
  const auto expected = grader::pinned_streams::workload().expect(job).front();
  const auto text = [&](std::vector<float> facts) {
    const auto found =
        grader::diagnose_values({{"facts", {4}, std::move(facts)}, expected, std::nullopt, Place::host},
                                grader::pinned_streams::workload().hypotheses(job));
    return found ? found->what : "";
  };
  CHECK(text({2, 1, 1, 1}).empty());
  CHECK_THAT(text({2, 1, 1, 0}), testing::contains("fill the memory exactly"));
  CHECK_THAT(text({1, 1, 1, 1}), testing::contains("a property other than"));
  CHECK_THAT(text({0, 0, 0, 0}), testing::contains("every element"));
}

TEST_CASE("a device with three copy engines that does not copy in both directions is named") {
  Case one = case_of("device_facts", 100);
  one.device = {{"copy_engines", 3}};
  const Job job = job_of(one);
  const auto expected = grader::pinned_streams::workload().expect(job).front();
  const auto found =
      grader::diagnose_values({{"facts", {4}, {3, 1, 0, 1}}, expected, std::nullopt, Place::host},
                              grader::pinned_streams::workload().hypotheses(job));
  REQUIRE(found);
  CHECK_THAT(found->likely_cause, testing::contains("exactly two engines"));
}

TEST_CASE("a number of copy engines where 1 or 0 is expected is named") {
  Case one = case_of("device_facts", 100);
  one.device = {{"copy_engines", 2}};
  const Job job = job_of(one);
  const auto expected = grader::pinned_streams::workload().expect(job).front();
  const auto found =
      grader::diagnose_values({{"facts", {4}, {2, 2, 1, 1}}, expected, std::nullopt, Place::host},
                              grader::pinned_streams::workload().hypotheses(job));
  REQUIRE(found);
  CHECK_THAT(found->what, testing::contains("facts[1] is the number of copy engines"));
}

TEST_CASE("a size that overflows is named, whichever factor overflows") {
  for (const std::int64_t n : {200'000'000, (1 << 30) + 1, 1'431'655'766}) {
    Case one = case_of("device_facts", n);
    one.device = {{"copy_engines", 1}, {"global_bytes", 1 << 29}};
    const Job job = job_of(one);
    const auto expected = grader::pinned_streams::workload().expect(job).front();
    const auto found =
        grader::diagnose_values({{"facts", {4}, {1, 1, 0, 1}}, expected, std::nullopt, Place::host},
                                grader::pinned_streams::workload().hypotheses(job));
    REQUIRE(found);
    CHECK_THAT(found->what, testing::contains("overflows an int"));
  }
}

}  // namespace
