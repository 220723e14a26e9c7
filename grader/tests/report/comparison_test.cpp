#include "report/comparison.hpp"

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "goldens.hpp"
#include "report/sample.hpp"
#include "schema_check.hpp"

using namespace grader;
using namespace testing;

namespace {

using Reasons = std::vector<std::string>;

Comparison sample() {
  Result better = accepted_result(), other_rubric = accepted_result(), fault = failing_result();
  better.provenance.source_sha256 = "cc";
  other_rubric.score.score = 95;
  other_rubric.provenance.rubric_sha256 = "bb";
  other_rubric.provenance.compiler = "nvcc 13.1.0";
  fault.score.status = ResultStatus::grader_fault;
  fault.score.verdict = Verdict::grader_fault;
  const std::string file = "results/x/02-tiled-matmul.json";
  Comparison comparison;
  comparison.same = 57;
  comparison.changes = {*change_between(failing_result(), better, file),
                        *change_between(accepted_result(), other_rubric, file),
                        *change_between(failing_result(), fault, file)};
  const char* ids[] = {"alice", "bob \x1b[2J", "zoë with a very long name that no column can hold"};
  for (int i = 0; i < 3; ++i) comparison.changes.at(i).submission = ids[i];
  comparison.changes.push_back(
      {"late", "02-tiled-matmul", {}, class_row(accepted_result(), file), {"not in both"}});
  return comparison;
}

}  // namespace

TEST_CASE("a change names all differences in provenance") {
  Result now = accepted_result();
  CHECK(reasons_between(accepted_result(), now) == Reasons{"unknown"});
  now.provenance.device = "cuda";
  now.provenance.grader_version = "0.2.0";
  now.provenance.inputs["one"].sha256 = "dd";
  CHECK(reasons_between(accepted_result(), now) == Reasons{"inputs", "device", "grader"});
  Result before = now;
  CHECK(reasons_between(before, now) == Reasons{"measured again"});
  now.score.status = ResultStatus::grader_fault;
  CHECK(reasons_between(before, now) == Reasons{"fault"});
}

TEST_CASE("results of both devices differ by their GPU, or because times were measured again") {
  Result now = both_devices_result();
  CHECK(reasons_between(accepted_result(), now) == Reasons{"device"});
  CHECK(reasons_between(both_devices_result(), now) == Reasons{"measured again"});
  now.provenance.gpu = "NVIDIA H100";
  CHECK(reasons_between(both_devices_result(), now) == Reasons{"device"});
}

TEST_CASE("inputs of cases that only one grading ran are ignored") {
  Result now = accepted_result();
  now.provenance.inputs["another"] = {7, "ee"};
  now.provenance.rubric_sha256 = "cc";
  CHECK(reasons_between(accepted_result(), now) == Reasons{"rubric"});
}

TEST_CASE("a difference that does not affect the score is not a change") {
  Result now = accepted_result();
  now.provenance.compiler = "nvcc 14";
  now.score.counters.clear();
  CHECK_FALSE(change_between(accepted_result(), now, "f"));
}

TEST_CASE("a comparison is as approved: piped, narrow, ASCII, coloured and as JSON") {
  CHECK(changed_goldens("diff", golden, [](const Terminal& terminal) {
          return comparison_text(sample(), terminal);
        }) == kNoChange);
  const auto wide = comparison_text(sample(), plain(120));
  CHECK(wide == golden("diff-120.txt", wide));
  const auto json = comparison_json(sample());
  CHECK(json == golden("diff.json", json));
  CHECK(SchemaCheck::of("diff.schema.json").problems(nlohmann::json::parse(json)).empty());
  CHECK(comparison_text({{}, 12}, plain()) == "no score differs in 12 results\n");
}
