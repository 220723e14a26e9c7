#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "report/hand_in_json.hpp"
#include "report/hand_in_text.hpp"
#include "report/result_json.hpp"
#include "report/sample.hpp"
#include "schema_check.hpp"

using namespace grader;
using namespace testing;
using Json = nlohmann::json;

namespace {

HandIn late_group() {
  HandIn made;
  made.lms = "gradescope";
  made.people = {{"=cmd() <b>\x1b[31m", "a@x", "", "7"}, {"\xff\xfe", "", "", ""}};
  made.late = true;
  made.submitted_at = "2021-02-03";
  made.not_taken = {"submission_1"};
  made.same_bytes["02-tiled-matmul"] = {"bob", "carol\n"};
  made.notes = {"2 links were left out"};
  return made;
}

}  // namespace

TEST_CASE("a summary records who handed in what, and conforms to its schema") {
  ClassSummary summary = sample_class();
  const std::string id = summary.rows.front().submission;
  summary.hand_ins[id] = late_group();
  summary.hand_ins["no one special"] = {};
  const Json json = Json::parse(summary_json(summary));
  CHECK(SchemaCheck::of("summary.schema.json").problems(json).empty());
  CHECK(json["results"][0]["identity"]["sis_id"] == "7");
  CHECK_FALSE(json["results"][0]["identity"].contains("lms_id"));
  REQUIRE(json["submissions"].size() == 1);
  const Json& one = json["submissions"][0];
  CHECK(one["submission"] == id);
  CHECK(one["late"] == true);
  CHECK(one["people"].size() == 2);
  CHECK(one["same_bytes"]["02-tiled-matmul"].size() == 2);
}

TEST_CASE("a summary of plain folders has no hand-in keys") {
  ClassSummary summary = sample_class();
  const std::string before = summary_json(summary);
  for (const ClassRow& row : summary.rows) summary.hand_ins[row.submission] = {};
  CHECK(summary_json(summary) == before);
  CHECK(hand_in_text(summary.hand_ins, plain()).empty());
}

TEST_CASE("notes have one line each, and cannot control the terminal") {
  const std::string text = hand_in_text({{"eve\x1b[0m", late_group()}}, plain());
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK_THAT(text, contains(": late\n") && contains("not used: submission_1") &&
                       contains("same bytes as bob, carol\n") && contains("2 links"));
}

TEST_CASE("long lists of notes are shortened and refer to the rest") {
  std::map<std::string, HandIn> many;
  for (int i = 0; i < 100; ++i) many[std::to_string(i)].late = true;
  const std::string text = hand_in_text(many, plain());
  CHECK(std::count(text.begin(), text.end(), '\n') == 22);
  CHECK_THAT(text, contains("80 more such notes are in summary.json"));
}
