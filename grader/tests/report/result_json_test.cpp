#include "report/result_json.hpp"

#include <limits>

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "report/result_reader.hpp"
#include "report/sample.hpp"
#include "schema_check.hpp"

using namespace grader;
using namespace testing;
using Json = nlohmann::json;

TEST_CASE("result.json is as approved, byte for byte") {
  const auto json = result_json(failing_result());
  CHECK(json == golden("result.json", json));
  CHECK(json == result_json(failing_result()));
}

TEST_CASE("summary.json is as approved, byte for byte") {
  const auto json = summary_json(sample_class());
  CHECK(json == golden("summary.json", json));
}

TEST_CASE("answers to questions are in the summary of a class, and absent without answers") {
  Result answered = accepted_result();
  answered.questions = some_answers();
  ClassSummary summary = sample_class();
  summary.rows.front() = class_row(answered, summary.rows.front().file);
  const Json json = Json::parse(summary_json(summary));
  CHECK(json["results"][0]["questions"] == Json({{"right", 2}, {"count", 4}}));
  CHECK_FALSE(json["results"][1].contains("questions"));
  CHECK(SchemaCheck::of("summary.schema.json").problems(json).empty());
}

TEST_CASE("numbers read back unchanged") {
  Result result = accepted_result();
  result.score.performance.front().student_s = 0.1 + 0.2;
  const Json json = Json::parse(result_json(result));
  CHECK(json["performance"][0]["student_s"].get<double>() == 0.1 + 0.2);
  CHECK(json["score"].is_number_integer());
}

TEST_CASE("a number that JSON cannot represent becomes null") {
  Result result = accepted_result();
  result.score.performance.front().speedup = std::numeric_limits<double>::quiet_NaN();
  CHECK(Json::parse(result_json(result))["performance"][0]["speedup"].is_null());
}

TEST_CASE("names and source lines with invalid UTF-8 still give valid JSON") {
  Result result = failing_result();
  result.submission = "b\xff\xfe\n\x01";
  result.score.checks.at(3).diagnostics.front().source_line = "\xc3(";
  const Json json = Json::parse(result_json(result));
  CHECK(json["submission"].get<std::string>().find("\xEF\xBF\xBD") != std::string::npos);
}

TEST_CASE("the first diagnostic is that of the first failed check") {
  CHECK(first_diagnostic(accepted_result().score) == nullptr);
  REQUIRE(first_diagnostic(failing_result().score) != nullptr);
  CHECK(first_diagnostic(failing_result().score)->code == "WG-M02");
  const auto failed = [](const char* task, const char* code) {
    Check check;
    check.task = task;
    check.status = CheckStatus::fail;
    check.diagnostics = {diagnose(code, "", "")};
    return check;
  };
  Score score;
  score.checks = {failed("a", "WG-V01"), failed("b", "WG-H08"), failed("a", "WG-H07")};
  CHECK(first_diagnostic(score)->code == "WG-H07");
  score.checks[0] = failed("a", "WG-V02");
  CHECK(first_diagnostic(score)->code == "WG-V02");
  // A cause that was found says more than none.
  score.checks = {failed("a", "WG-V01"), failed("b", "WG-M01"), failed("a", "WG-V06"), failed("a", "WG-V05")};
  CHECK(first_diagnostic(score)->code == "WG-V01");
  score.checks[0].diagnostics[0].likely_cause = "no known pattern fits: an index is wrong";
  CHECK(first_diagnostic(score)->code == "WG-V05");
  // A case with a single call that fails, too, shows that it is not what earlier calls have left.
  score.checks = {failed("a", "WG-V01"), failed("a", "WG-V07"), failed("a", "WG-V01")};
  score.checks[0].diagnostics[0].likely_cause = "no known pattern fits; if the function is right alone, …";
  score.checks[2].diagnostics[0].likely_cause = "no known pattern fits: an index is wrong";
  CHECK(leading_check(score) == &score.checks[2]);
  // A pattern in the values that the same line stores, even if another task found it.
  Score other;
  other.checks = {failed("a", "WG-V01"), failed("b", "WG-V04"), failed("b", "WG-V04")};
  other.checks[0].diagnostics[0].likely_cause = "no known pattern fits: an index is wrong";
  for (const std::size_t i : {0, 2}) other.checks[i].diagnostics[0].where = {"k.cu", 7};
  CHECK(leading_check(other) == &other.checks[2]);
  score.checks = {score.checks[0], failed("a", "WG-M09"), failed("a", "WG-M08")};
  CHECK(first_diagnostic(score)->code == "WG-M08");
  score.checks = {failed("a", "WG-H12"), failed("a", "WG-S27")};
  CHECK(first_diagnostic(score)->code == "WG-S27");
  // A pattern of other values says more than small values that became 0.
  score.checks = {failed("a", "WG-V06"), failed("a", "WG-V01")};
  CHECK(first_diagnostic(score)->code == "WG-V01");
  score.checks[1].diagnostics[0].likely_cause = "no known pattern fits: an index is wrong";
  CHECK(first_diagnostic(score)->code == "WG-V06");
  score.checks = {failed("a", "WG-V07"), failed("a", "WG-V01"), failed("a", "WG-V08")};
  CHECK(first_diagnostic(score)->code == "WG-V08");
  score.checks[0].diagnostics[0].count = 2;  // not by chance
  CHECK(first_diagnostic(score)->code == "WG-V07");
  // An overrun with a line says more than one without.
  score.checks = {failed("a", "WG-S29"), failed("a", "WG-H01")};
  CHECK(first_diagnostic(score)->code == "WG-S29");
  score.checks[1].diagnostics[0].where = {"k.cu", 7};
  CHECK(first_diagnostic(score)->code == "WG-H01");
}

TEST_CASE("a pattern that one of many cases fits does not lead") {
  const auto failed = [](const char* code, const char* cause) {
    Check check;
    check.task = "a";
    check.status = CheckStatus::fail;
    check.diagnostics = {diagnose(code, "", "")};
    check.diagnostics[0].likely_cause = cause;
    return check;
  };
  const Check unknown = failed("WG-V01", "no known pattern fits: an index is wrong"),
              pattern = failed("WG-V08", "the loop ends early"), other = failed("WG-V08", "another");
  Score score;
  score.checks = {unknown, pattern, unknown, unknown};
  CHECK(leading_check(score) == &score.checks[1]);  // one of four
  score.checks = {unknown, pattern, unknown, unknown, other};
  CHECK(leading_check(score) == &score.checks[0]);
  score.checks = {unknown, pattern, unknown, unknown, other, pattern};
  CHECK(leading_check(score) == &score.checks[1]);
  // Nor if it is the first one, as of a case with one row.
  score.checks = {pattern, unknown, unknown, unknown, unknown};
  CHECK(leading_check(score) == &score.checks[1]);
  score.checks = {pattern, other, other, other, unknown};
  CHECK(leading_check(score) == &score.checks[0]);  // most cases have a pattern
  // Memory errors and races are no chance.
  score.checks = {failed("WG-M01", "a guard"), unknown, unknown, unknown, unknown};
  CHECK(leading_check(score) == &score.checks[0]);
}

TEST_CASE("a result reads back to the same bytes") {
  for (const Result& result : {accepted_result(), failing_result(), limited_result(), both_devices_result(),
                               compile_error_result()}) {
    const std::string text = result_json(result);
    const auto read = parse_result(text);
    REQUIRE(read);
    CHECK(result_json(*read) == text);
  }
}

TEST_CASE("a check of a bonus task says so, and reads back") {
  const std::string text = result_json(bonus_result());
  CHECK_THAT(text,
             contains("\"bonus\": true") && contains("\"max_score\": 110") && contains("\"max_bonus\": 10"));
  CHECK_THAT(result_json(accepted_result()), !contains("bonus"));
  const auto read = parse_result(text);
  REQUIRE(read.has_value());
  CHECK(read->score.checks.back().is_bonus);
  CHECK(read->score.max_score == 100);
  CHECK(result_json(*read) == text);
  CHECK(class_row(bonus_result(), "").code.empty());
}

TEST_CASE("a check with limited points has its cap") {
  const Json json = Json::parse(result_json(limited_result()));
  CHECK(json["checks"].back()["cap"] == Json({{"share", 0.25}, {"task", "boundary"}}));
  CHECK_FALSE(json["checks"].front().contains("cap"));
}

TEST_CASE("with both devices, a result names the device of each check and the real GPU") {
  const Json json = Json::parse(result_json(both_devices_result()));
  CHECK(json["checks"].front()["device"] == "both");
  CHECK(json["checks"].back()["device"] == "cuda");
  CHECK(json["provenance"]["gpu"] == "NVIDIA H200");
  const Json alone = Json::parse(result_json(accepted_result()));
  CHECK_FALSE(alone["checks"].front().contains("device"));
  CHECK_FALSE(alone["provenance"].contains("gpu"));
}

TEST_CASE("the record of a real GPU is written with its measurement and read back") {
  Result result = both_devices_result();
  CHECK_FALSE(Json::parse(result_json(result))["performance"].front().contains("gpu"));
  for (const std::optional<bool> ecc : {std::optional<bool>(), std::optional(true)}) {
    Performance& one = result.score.performance.front();
    one.gpu = GpuRecord{"NVIDIA H200", "GPU-5f3e", "580.1", 1980, 3201, 700, 52, {"power cap"}, ecc, 2, 1};
    const std::string text = result_json(result);
    for (const std::string& problem : SchemaCheck::of("result.schema.json").problems(Json::parse(text)))
      CHECK_THAT(problem, contains("sha256"));  // the sample's are short
    const auto read = parse_result(text);
    REQUIRE(read);
    CHECK(read->score.performance.front().gpu == one.gpu);
  }
}

TEST_CASE("a truncated result is not read") {
  const std::string text = result_json(failing_result());
  for (std::size_t length = 0; length + 2 < text.size(); length += 7)
    CHECK_FALSE(parse_result(text.substr(0, length)));
}

TEST_CASE("a result of another schema or with an unknown word is not read") {
  std::string text = result_json(accepted_result());
  CHECK_FALSE(parse_result("{}"));
  CHECK_FALSE(parse_result("[1]"));
  text.replace(text.find("warpgrade.result/1"), 18, "warpgrade.result/2");
  CHECK_FALSE(parse_result(text));
  text = result_json(accepted_result());
  text.replace(text.find("\"graded\""), 8, "\"gradee\"");
  CHECK_FALSE(parse_result(text));
}
