// Inputs that the student's function changed.
#include "judge/kept_inputs.hpp"

#include <bit>

#include "catch.hpp"

namespace kept_inputs_test {

using namespace grader;
using testing::contains;

namespace {

harness::Job job() {
  harness::Job one;
  one.entry = "scale";
  one.inputs = {{{"in", {2, 3}, {1, 2, 3, 4, 5, 6}}}};
  one.outputs = {{"out", {2, 3}}};
  one.earlier = {{{}, one.inputs, one.outputs}};
  return one;
}

const SourceText kSource{"scale.cu", {"kernel {", "  in[i] = 0;"}};

ChangedInput changed(std::size_t call) {
  return {.name = "in",
          .shape = {2, 3},
          .element = harness::Element::f32,
          .call = call,
          .count = 2,
          .first = 4,
          .given = std::bit_cast<std::uint32_t>(5.0F),
          .found = 0,
          .stored_by = 1};
}

Diagnostic only(const CaseRun& run) {
  const std::vector<Diagnostic> found = diagnose_changed_inputs(run, job(), kSource);
  REQUIRE(found.size() == 1);
  return found[0];
}

}  // namespace

TEST_CASE("a changed input is reported with its first changed element and the line of the store") {
  CaseRun run;
  CHECK(diagnose_changed_inputs(run, job(), kSource).empty());
  run.changed_inputs = {changed(1)};
  run.session.store_lines = {{"/box/scale.cu", 2}};
  const Diagnostic found = only(run);
  CHECK(found.code == "WG-M15");
  CHECK(found.what == "`scale` changes its input `in`: in[1][1] is 0 when it should still be 5");
  CHECK(found.where == SourceLocation{"scale.cu", 2});
  CHECK_THAT(found.first, contains("2 of 6 elements differ"));
}

TEST_CASE("a change without a known line is reported without a place, and in words for the type") {
  CaseRun run;
  run.changed_inputs = {changed(1)};
  run.changed_inputs[0].element = harness::Element::i32;
  run.changed_inputs[0].given = 7;
  run.changed_inputs[0].found = ~0U;
  CHECK_THAT(only(run).what, contains("is -1 when it should still be 7"));
  CHECK(!only(run).where);
  run.session.store_lines = {{"/other.cu", 2}};
  CHECK(!only(run).where);
}

TEST_CASE("an array is reported once, for the first call that changed it") {
  CaseRun run;
  run.changed_inputs = {changed(0), changed(1)};
  CHECK_THAT(only(run).what, contains("`in` in an earlier call"));
}

TEST_CASE("a changed input fails the case before races and wrong values") {
  CaseRun run;
  run.end = CaseRun::End::finished;
  run.answer.outputs = {{"out", {2, 3}, {1, 2, 3, 4, 5, 6}}};
  run.session.launches.emplace_back();
  run.seconds = 1e-6;
  const std::vector<Expectation> expected = {
      {"out", {2, 3}, {1, 2, 3, 4, 5, 6}, std::vector<double>(6, 1e-6), {}}};
  CHECK(judge_case("case", job(), run, expected, kSource).verdict == Verdict::accepted);
  run.changed_inputs = {changed(1)};
  const CaseVerdict verdict = judge_case("case", job(), run, expected, kSource);
  CHECK(verdict.verdict == Verdict::wrong_answer);
  CHECK(verdict.diagnostics.at(0).code == "WG-M15");
}

}  // namespace kept_inputs_test
