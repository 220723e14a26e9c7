#include "judge/earlier_calls.hpp"

#include "catch.hpp"

namespace earlier_calls_test {

using namespace grader;
using testing::contains;
using Values = harness::EarlierCall::Values;

namespace {

const std::vector<Expectation> kExpected{{"y", {4}, {1, 2, 3, 4}, {0, 0, 0, 0}, {}}};

/// A checked call after one with n = 1, and another after one with the same sizes.
harness::Job job() {
  harness::Job one;
  one.entry = "saxpy";
  one.scalars = {{"n", 4}};
  one.outputs = {{"y", {4}}};
  one.earlier = {{{{"n", 1}}, {}, {{"y", {1}}}},
                 {{{"n", 4}}, {}, one.outputs, Values::equal_elsewhere},
                 {{{"n", 4}}, {}, one.outputs, Values::other},
                 {{{"n", 4}}, {}, one.outputs, Values::equal_elsewhere}};
  return one;
}

std::vector<Diagnostic> found(std::vector<float> first, std::vector<float> second) {
  CaseRun run;
  run.answer.earlier = {{{{"y", {4}, std::move(first)}}, {0}}, {{{"y", {4}, std::move(second)}}, {0}}};
  return diagnose_earlier_outputs(job(), run, kExpected);
}

}  // namespace

TEST_CASE("right results of earlier calls are no problem") {
  CHECK(found({1, 2, 3, 4}, {1, 2, 3, 4}).empty());
}

TEST_CASE("a wrong result of an earlier call is reported with the call before it") {
  const auto small = found({1, 0, 0, 0}, {1, 2, 3, 4});
  REQUIRE(small.size() == 1);
  CHECK_THAT(small[0].what, contains("in an earlier call with the values of the last call"));
  CHECK_THAT(small[0].first, contains("the call before it had n = 1"));
  CHECK_THAT(small[0].likely_cause, contains("keeps something from the call before"));
  const auto equal = found({1, 2, 3, 4}, {4, 3, 2, 1});
  REQUIRE(equal.size() == 1);
  CHECK_THAT(equal[0].first, contains("the call before it had the same sizes and other values"));
}

TEST_CASE("the inputs in which the call before differs are named") {
  harness::Job one = job();
  one.inputs.resize(2);
  one.inputs[0].name = "a";
  one.inputs[1].name = "b";
  for (harness::Input& input : one.inputs) input.values = {1, 2, 3, 4};
  for (harness::EarlierCall& call : one.earlier) call.inputs = one.inputs;
  CaseRun run;
  run.answer.earlier = {{{{"y", {4}, {1, 2, 3, 4}}}, {0}}, {{{"y", {4}, {4, 3, 2, 1}}}, {0}}};
  const auto before = [&](std::vector<float> a, std::vector<float> b) {
    one.earlier[2].inputs[0].values = std::move(a);
    one.earlier[2].inputs[1].values = std::move(b);
    const auto found = diagnose_earlier_outputs(one, run, kExpected);
    REQUIRE(found.size() == 1);
    return found[0].first.substr(found[0].first.find("the call before"));
  };
  CHECK(before({1, 2, 3, 4}, {1, 3, 2, 4}) ==
        "the call before it had the same sizes and the values of `b` in another order");
  CHECK(before({1, 7, 3, 4}, {1, 2, 3, 4}) ==
        "the call before it had the same sizes and other values of `a` only");
  CHECK(before({1, 7, 3, 4}, {1, 3, 2, 4}) == "the call before it had the same sizes and other values");
}

TEST_CASE("a call that launches nothing after others with equal values returns a kept result") {
  const auto code = [](std::vector<std::uint64_t> launches_before_calls, std::size_t launches) {
    vgpu::cudart::SessionReport session;
    session.launches.resize(launches);
    for (const std::uint64_t before : launches_before_calls) session.calls.push_back({.launches = before});
    const auto found = diagnose_kept_result(job(), session);
    return found ? found->code + found->what.substr(found->what.find(" in its")) : "";
  };
  CHECK(code({}, 1).empty());  // as on a real GPU
  CHECK(code({0, 1, 2, 3, 4}, 5).empty());
  CHECK(code({0, 1, 2, 2, 3}, 4).empty());  // the result of the third call is not checked
  CHECK(code({0, 1, 1, 2, 3}, 4) == "WG-H12 in its call 2 of 5");
  CHECK(code({0, 1, 2, 3, 4}, 4) == "WG-H12 in its call 5 of 5");
}

TEST_CASE("values that are wrong after other calls can be those of an earlier call") {
  std::vector<Diagnostic> diagnostics(4);
  diagnostics[0].code = "WG-V07";
  diagnostics[0].likely_cause = "host code stores 0";
  diagnostics[1].code = "WG-V01";
  diagnostics[1].likely_cause = "a variable keeps its value";
  diagnostics[2].code = "WG-R01";
  diagnostics[3].code = "WG-M01";
  diagnostics[3].likely_cause = "no condition guards the load";
  for (Diagnostic& one : diagnostics) mention_earlier_calls(job(), one);
  CHECK(diagnostics[0].likely_cause ==
        "host code stores 0; or the function keeps a size, a buffer or a result from an earlier call");
  CHECK(diagnostics[1].likely_cause == "a variable keeps its value");
  CHECK(diagnostics[2].likely_cause.empty());
  CHECK_THAT(diagnostics[3].likely_cause, contains("or the function keeps a size"));
}

TEST_CASE("each size of the earlier calls is mentioned once") {
  std::vector<Diagnostic> diagnostics(1);
  harness::Job repeated = job();
  repeated.earlier.push_back(repeated.earlier.front());
  mention_earlier_calls(repeated, diagnostics.front());
  CHECK(
      diagnostics[0].first ==
      "the case first calls `saxpy` several times, with n = 1 and with this case's sizes in other arrays or "
      "with other values");
}

}  // namespace earlier_calls_test
