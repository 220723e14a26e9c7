#include "schedule/case_library.hpp"

#include "catch.hpp"

namespace case_library_test {

using namespace grader;

namespace {

Lab tiny_lab(std::int64_t k, std::uint64_t seed) {
  Lab lab;
  lab.id = "tiny";
  lab.workload = "tiled_matmul";
  lab.sources = {"tiled_matmul.cu"};
  Case one;
  one.name = "case";
  one.entry = "tiled_matmul";
  one.workload = {{"m", 3}, {"k", k}, {"n", 2}};
  one.seed = seed;
  lab.cases = {one};
  return lab;
}

}  // namespace

TEST_CASE("a case has inputs and an expectation for each output") {
  const Lab lab = tiny_lab(4, 1);
  CaseLibrary cases(lab);
  const auto& prepared = cases.prepare("case");
  REQUIRE(prepared);
  CHECK(prepared->job.inputs.size() == 2);
  const std::vector<Expectation>& expected = cases.expected(*prepared);
  REQUIRE(expected.size() == prepared->job.outputs.size());
  CHECK(expected.front().values.size() == 6);
  CHECK(&cases.expected(*prepared) == &expected);
  CHECK(prepared->quantities.at("flop") == 2 * 3 * 4 * 2);
}

TEST_CASE("the shown inputs are the case's, rotated, drawn once per library") {
  const Lab lab = tiny_lab(4, 1);
  CaseLibrary cases(lab), others(lab);
  const PreparedCase& prepared = *cases.prepare("case");
  const ShownInputs& shown = cases.shown(prepared);
  CHECK(&cases.shown(prepared) == &shown);
  CHECK(cases.shown_rotation(prepared) != others.shown_rotation(*others.prepare("case")));
  const harness::Job rotated = harness::rotated(prepared.job, cases.shown_rotation(prepared));
  CHECK(shown.job.inputs.front().values == rotated.inputs.front().values);
  CHECK(shown.expected.front().values == prepared.workload->expect(rotated).front().values);
}

TEST_CASE("a case is prepared once") {
  const Lab lab = tiny_lab(4, 1);
  CaseLibrary cases(lab);
  CHECK(&cases.prepare("case") == &cases.prepare("case"));
}

TEST_CASE("the fingerprint of the inputs depends on the seed and on nothing else") {
  const Lab one = tiny_lab(4, 1), same = tiny_lab(4, 1), other = tiny_lab(4, 2);
  CHECK(CaseLibrary(one).prepare("case")->inputs_sha256 == CaseLibrary(same).prepare("case")->inputs_sha256);
  CHECK(CaseLibrary(one).prepare("case")->inputs_sha256 != CaseLibrary(other).prepare("case")->inputs_sha256);
}

TEST_CASE("an invalid case is an error with a message") {
  const Lab lab = tiny_lab(0, 1);
  CaseLibrary cases(lab);
  const auto& prepared = cases.prepare("case");
  REQUIRE_FALSE(prepared);
  CHECK_THAT(prepared.error(), testing::contains("k"));
}

}  // namespace case_library_test
