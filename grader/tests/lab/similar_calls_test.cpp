// The calls that the grader adds to a case's earlier calls, and the job with other values on the device.
#include <algorithm>

#include "catch.hpp"
#include "lab/lab.hpp"
#include "lab/lab_fixture.hpp"
#include "lab/workload.hpp"

namespace similar_calls_test {

using namespace grader;
using Values = harness::EarlierCall::Values;
using testing::Json;

namespace {

Lab lab_with(const Json& earlier_calls) {
  Json lab = testing::small_lab();
  lab["cases"]["odd"]["earlier_calls"] = earlier_calls;
  const testing::LabFolder folder(lab);
  return *load_lab(folder.path());
}

std::size_t differences(const std::vector<float>& a, const std::vector<float>& b) {
  REQUIRE(a.size() == b.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += a[i] != b[i] ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("a case without earlier calls gets none") {
  const Lab lab = lab_with(Json::array());
  CHECK(make_job(lab, *lab.find_case("odd"))->earlier.empty());
}

/// The job of a case with earlier calls of another size and on the same arrays.
harness::Job job_after_calls() {
  const Lab lab = lab_with({{{"m", 1}}, Json::object()});
  return *make_job(lab, *lab.find_case("odd"));
}

// Positions of calls in the job of job_after_calls().
constexpr std::size_t kNumbers = 9;  ///< with other m, k or n: half of each, one less, three exchanges of two
constexpr std::size_t kElsewhere = 1 + kNumbers, kInputs = kElsewhere + 1, kOrders = kInputs + 4;

TEST_CASE("calls with checked results come directly after calls of other sizes or with other values") {
  const harness::Job job = job_after_calls();
  std::vector<Values> order;
  for (const harness::EarlierCall& one : job.earlier) order.push_back(one.values);
  const auto almost = Values::almost_equal, equal = Values::equal_elsewhere, other = Values::other;
  std::vector<Values> expected{other};
  const auto add = [&](std::size_t count, const std::vector<Values>& values) {
    for (; count > 0; --count) expected.insert(expected.end(), values.begin(), values.end());
  };
  add(kNumbers, {other});
  add(1, {Values::almost_equal_elsewhere});
  add(4, {almost});        // one half of one input
  add(2, {almost});        // the order of one input
  add(2, {other, equal});  // the case's own
  add(kNumbers, {other, other, equal});
  add(4, {other, almost, equal});
  add(1, {equal, other, other, Values::almost_equal_elsewhere, Values::smaller, almost});
  CHECK(order == expected);
  CHECK(job.earlier[0].scalars.at("m") == 1);
  CHECK(harness::checked_earlier_calls(job) == 2 + kNumbers + 4 + 1);
  for (const harness::EarlierCall& one : job.earlier) {
    if (!has_checked_results(one)) continue;
    CHECK(one.scalars == job.scalars);
    CHECK_FALSE(shares_arrays(one, job));
    for (std::size_t i = 0; i < job.inputs.size(); ++i) CHECK(one.inputs[i].values == job.inputs[i].values);
  }
}

/// Whether, before a call with checked results, a call with these numbers follows one that has no size in
/// common with both.
bool is_before_equal(const harness::Job& job, const harness::Scalars& numbers) {
  for (std::size_t i = 0; i + 2 < job.earlier.size(); ++i)
    if (job.earlier[i].scalars == job.earlier[0].scalars && job.earlier[i + 1].scalars == numbers &&
        has_checked_results(job.earlier[i + 2]))
      return true;
  return false;
}

TEST_CASE("what is kept by a part of the sizes is of a call that differs in another size") {
  Lab lab = lab_with({{{"m", 1}, {"k", 2}, {"n", 1}}});
  Case one = *lab.find_case("odd");
  one.workload = {{"m", 5}, {"k", 6}, {"n", 8}};
  const harness::Job job = *make_job(lab, one);
  const std::vector<harness::Scalars> expected{
      {{"m", 2}, {"k", 6}, {"n", 8}}, {{"m", 4}, {"k", 6}, {"n", 8}}, {{"m", 5}, {"k", 3}, {"n", 8}},
      {{"m", 5}, {"k", 5}, {"n", 8}}, {{"m", 5}, {"k", 6}, {"n", 4}}, {{"m", 5}, {"k", 6}, {"n", 7}},
      {{"m", 6}, {"k", 5}, {"n", 8}}, {{"m", 8}, {"k", 6}, {"n", 5}}, {{"m", 5}, {"k", 8}, {"n", 6}}};
  for (const harness::Scalars& numbers : expected) {
    CAPTURE(numbers.at("m"), numbers.at("k"), numbers.at("n"));
    CHECK(is_before_equal(job, numbers));
    // A program can also keep what the first call of this kind had: no call before has the case's sizes.
    const auto first = std::find_if(job.earlier.begin(), job.earlier.end(),
                                    [&](const auto& call) { return call.scalars == numbers; });
    CHECK(std::none_of(job.earlier.begin(), first,
                       [&](const auto& call) { return call.scalars == job.scalars; }));
  }
}

TEST_CASE("equal sizes are not exchanged, and a size of 1 becomes 2") {
  Lab lab = lab_with({{{"m", 3}, {"k", 2}, {"n", 4}}});
  Case one = *lab.find_case("odd");
  one.workload = {{"m", 1}, {"k", 1}, {"n", 1}};
  const harness::Job job = *make_job(lab, one);
  CHECK(is_before_equal(job, {{"m", 2}, {"k", 1}, {"n", 1}}));
  CHECK(is_before_equal(job, {{"m", 1}, {"k", 2}, {"n", 1}}));
  CHECK(is_before_equal(job, {{"m", 1}, {"k", 1}, {"n", 2}}));
}

TEST_CASE("a call differs from the checked one in one half of one input, or in one number") {
  const harness::Job job = job_after_calls();
  for (std::size_t call = 0; call < 4; ++call) {
    const std::size_t input = call / 2;
    const harness::EarlierCall& one = job.earlier[kInputs + call];
    const std::vector<float>&values = job.inputs[input].values, &almost = one.inputs[input].values;
    CHECK(one.inputs[1 - input].values == job.inputs[1 - input].values);
    CHECK(differences(almost, values) > 0);
    const auto half = static_cast<std::ptrdiff_t>(values.size() / 2);
    CHECK(std::equal(values.begin(), values.begin() + half, almost.begin()) == (call % 2 == 1));
    CHECK(std::equal(values.begin() + half, values.end(), almost.begin() + half) == (call % 2 == 0));
  }
  Lab lab;
  lab.workload = "pinned_streams";
  Case one;
  one.entry = "add_staged";
  one.workload = {{"n", 100}, {"segment", 30}, {"rounds", 2}};
  one.earlier_calls = {{{"n", 3}, {"segment", 1}, {"rounds", 1}}};
  const harness::Job sum = *make_job(lab, one);
  const auto has_other = [&](const char* number, std::int64_t value) {
    return std::count_if(sum.earlier.begin(), sum.earlier.end(), [&](const harness::EarlierCall& call) {
      return call.scalars.at(number) == value && call.inputs[0].values == sum.inputs[0].values &&
             call.inputs[1].values == sum.inputs[1].values;
    });
  };
  CHECK(has_other("rounds", 4) == 2);
  CHECK(has_other("segment", 60) == 2);
}

TEST_CASE("a call differs from the checked one in the order of one input's elements") {
  const harness::Job job = job_after_calls();
  for (std::size_t input = 0; input < 2; ++input) {
    const harness::EarlierCall& one = job.earlier[kOrders + input];
    std::vector<float> values = job.inputs[input].values, almost = one.inputs[input].values;
    CHECK(one.inputs[1 - input].values == job.inputs[1 - input].values);
    CHECK(differences(almost, values) == 2);
    CHECK(almost.front() == values.front());
    CHECK(almost.back() == values.back());
    std::sort(values.begin(), values.end());
    std::sort(almost.begin(), almost.end());
    CHECK(almost == values);
  }
}

TEST_CASE("almost the checked call's values come in other arrays, then in its own") {
  const harness::Job job = job_after_calls();
  const std::size_t last = job.earlier.size() - 1;
  for (const std::size_t elsewhere : {kElsewhere, last - 2})
    CHECK_FALSE(shares_arrays(job.earlier[elsewhere], job));
  for (const std::size_t own : {kInputs, kOrders, last - 3, last - 1, last})
    CHECK(shares_arrays(job.earlier[own], job));
  for (std::size_t i = 0; i < job.inputs.size(); ++i) {
    const std::vector<float>&values = job.inputs[i].values, &almost = job.earlier[last].inputs[i].values;
    CHECK(job.earlier[kElsewhere].inputs[i].values == almost);
    CHECK(differences(almost, values) == 3);
    CHECK(almost.front() == values.front());
    CHECK(almost.back() == values.back());
  }
}

TEST_CASE("a call of smaller sizes uses the front parts of the checked call's arrays") {
  const harness::Job job = job_after_calls();
  const harness::EarlierCall& smaller = job.earlier[job.earlier.size() - 2];
  CHECK(smaller.scalars == harness::Scalars{{"m", 1}, {"k", 2}, {"n", 3}});
  CHECK(smaller.outputs[0].shape == Shape{1, 3});
  // Nothing is smaller than a size of 1.
  Lab lab = lab_with({{{"m", 3}, {"k", 2}, {"n", 4}}});
  Case one = *lab.find_case("odd");
  one.workload = {{"m", 1}, {"k", 1}, {"n", 1}};
  const harness::Job of_ones = *make_job(lab, one);
  CHECK(std::none_of(of_ones.earlier.begin(), of_ones.earlier.end(),
                     [](const harness::EarlierCall& call) { return call.values == Values::smaller; }));
}

TEST_CASE("another function is called between two calls of the checked one with equal values") {
  Lab lab = lab_with(Json::array());
  lab.cases.at(0).other_function = "tiled_matmul_dynamic";
  const Case& one = lab.cases.at(0);
  const harness::Job job = *make_job(lab, one);
  REQUIRE(job.earlier.size() == 2);
  CHECK(job.earlier[0].values == Values::equal_elsewhere);
  CHECK(function_of(job.earlier[0], job) == one.entry);
  CHECK(job.earlier[0].inputs[0].values == job.inputs[0].values);
  CHECK(function_of(job.earlier[1], job) == "tiled_matmul_dynamic");
  CHECK(shares_arrays(job.earlier[1], job));
  CHECK(job.earlier[1].inputs[0].values != job.inputs[0].values);
}

TEST_CASE("a function with other parameters cannot be called on the case's arrays") {
  Lab lab;
  lab.workload = "saxpy";
  Case one;
  one.entry = "saxpy";
  one.workload = {{"n", 100}, {"block_threads", 256}, {"a", 0}, {"a_divisor", 1}};
  one.other_function = "saxpy_in_blocks";
  const auto job = make_job(lab, one);
  REQUIRE_FALSE(job);
  CHECK(job.error() == "other_function is \"saxpy_in_blocks\", which has other parameters than saxpy");
}

TEST_CASE("arrays of one or two elements differ in them") {
  const Lab lab = lab_with(Json::array({Json::object()}));
  Case one = *lab.find_case("odd");
  one.workload = {{"m", 1}, {"k", 1}, {"n", 2}};
  const harness::Job job = *make_job(lab, one);
  CHECK(differences(job.earlier.back().inputs[0].values, job.inputs[0].values) == 1);
  CHECK(differences(job.earlier.back().inputs[1].values, job.inputs[1].values) == 2);
}

TEST_CASE("a number keeps its value in similar calls, so that what is kept for it is not renewed") {
  Lab lab;
  lab.workload = "saxpy";
  Case one;
  one.entry = "saxpy";
  one.workload = {{"n", 100}, {"block_threads", 256}, {"a", 0}, {"a_divisor", 1}};
  one.earlier_calls = {{}};
  const harness::Job job = *make_job(lab, one);
  const std::size_t count = job.earlier.size();
  for (const std::size_t similar : {std::size_t{0}, count - 2, count - 1}) {
    CHECK(job.earlier[similar].inputs[2].values == job.inputs[2].values);
    CHECK(differences(job.earlier[similar].inputs[0].values, job.inputs[0].values) == 3);
  }
  // Another factor only: what is kept for the arrays must not stand for the result.
  const auto has_other_factor = [&](const harness::EarlierCall& call) {
    return differences(call.inputs[2].values, job.inputs[2].values) == 1 &&
           call.inputs[0].values == job.inputs[0].values && call.inputs[1].values == job.inputs[1].values;
  };
  CHECK(std::count_if(job.earlier.begin(), job.earlier.end(), has_other_factor) == 2);
}

TEST_CASE("the first call has other numbers, even if the arrays have the same sizes") {
  Lab lab;
  lab.workload = "pinned_streams";
  Case one;
  one.entry = "device_facts";
  one.only_on = DeviceKind::virtual_gpu;
  one.workload = {{"n", 1000}, {"segment", 1}, {"rounds", 1}};
  one.earlier_calls = {{{"n", 5}}};
  const harness::Job job = *make_job(lab, one);
  REQUIRE(shares_arrays(job.earlier[0], job));
  CHECK(job.earlier[0].scalars.at("n") == 5);
}

TEST_CASE("with other values, a job has the same calls and sizes, and equal arrays in host memory") {
  Lab lab;
  lab.workload = "memory_types";
  Case one;
  one.entry = "convolve_constant";
  one.workload = {{"width", 8}, {"height", 4}, {"radius", 1}, {"images", 1}, {"before", 0}, {"scene", 0}};
  one.earlier_calls = {{}};
  const harness::Job job = *make_job(lab, one);
  const harness::Job other = with_other_values(lab, one, job);
  CHECK(other.scalars == job.scalars);
  CHECK(differences(other.inputs[0].values, job.inputs[0].values) == 32);
  CHECK(other.inputs[1].values == job.inputs[1].values);
  REQUIRE(other.earlier.size() == job.earlier.size());
  for (std::size_t i = 0; i < job.earlier.size(); ++i) {
    CHECK(differences(other.earlier[i].inputs[0].values, job.earlier[i].inputs[0].values) > 28);
    CHECK(other.earlier[i].inputs[1].values == job.earlier[i].inputs[1].values);
  }
}

TEST_CASE("with other values, a number stays and an array of one element does not") {
  Lab lab;
  lab.workload = "saxpy";
  Case one;
  one.entry = "saxpy_from_host";
  one.workload = {{"n", 1}, {"a", 0}, {"a_divisor", 1}};
  const harness::Job job = *make_job(lab, one), other = with_other_values(lab, one, job);
  REQUIRE(job.inputs.size() == 3);
  for (std::size_t i = 0; i < 3; ++i)
    CHECK((other.inputs[i].values == job.inputs[i].values) == (job.inputs[i].name == "a"));
}

TEST_CASE("a job with other values has the same calls, whatever the case's values are") {
  Lab lab;
  lab.workload = "min_plus";
  Case one;
  one.entry = "step";
  for (const std::int64_t n : {1, 2, 5})
    for (const std::int64_t infinite : {0, 1, 99})
      for (const char* distribution : {"uniform", "huge", "subnormal"}) {
        one.workload = {{"n", n}, {"infinite_percent", infinite}};
        one.distribution = distribution;
        one.earlier_calls = {{}};
        const harness::Job job = *make_job(lab, one), other = with_other_values(lab, one, job);
        REQUIRE(other.earlier.size() == job.earlier.size());
        for (std::size_t i = 0; i < job.earlier.size(); ++i)
          CHECK(other.earlier[i].scalars == job.earlier[i].scalars);
      }
}

}  // namespace similar_calls_test
