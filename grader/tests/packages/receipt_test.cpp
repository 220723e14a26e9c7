#include "packages/receipt.hpp"

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "schema_check.hpp"

namespace receipt_test {

using namespace grader;
using namespace testing;
using Json = nlohmann::ordered_json;

namespace {

const std::string kSha(64, 'a'), kOtherSha(64, 'b'), kLab = "02-tiled-matmul";

Receipt receipt() {
  return {kLab, "2026-01-31T10:05:00+01:00", {{"tiled_matmul.cu", kSha}}, 87.5, 100.0, "0.1.0+3f2a9c1d04b7"};
}

std::string with(const std::string& key, const Json& value) {
  Json json = Json::parse(receipt_json(receipt()));
  json[key] = value;
  return json.dump();
}

}  // namespace

TEST_CASE("a receipt fits its schema and reads back") {
  for (const std::optional<double>& score :
       {std::optional(87.5), std::optional(100.0), std::optional<double>()}) {
    Receipt one = receipt();
    one.score = score;
    const std::string text = receipt_json(one);
    CHECK(SchemaCheck::of("receipt.schema.json").problems(nlohmann::json::parse(text)).empty());
    const auto read = parse_receipt(text);
    REQUIRE(read);
    CHECK(*read == one);
  }
}

TEST_CASE("a whole number of points has no fraction in a receipt") {
  CHECK(Json::parse(receipt_json(receipt()))["max_score"].is_number_integer());
}

TEST_CASE("a receipt with values that no program writes is refused, and nothing of it is quoted") {
  const std::string attack = "<script>\x1b[2J";
  const auto bad = std::vector<std::string>{"",
                                            "{",
                                            "[]",
                                            "null",
                                            "{}",
                                            std::string(5000, '['),
                                            R"({"schema": "warpgrade.receipt/2"})",
                                            R"({"lab": "a", "lab": "b"})",
                                            with("schema", attack),
                                            with("lab", attack),
                                            with("lab", "../x"),
                                            with("packed_at", attack),
                                            with("packed_at", "2026-13-31T10:05:00Z"),
                                            with("packed_at", "2026-01-31T10:05:00"),
                                            with("packed_at", "2026-01-31 10:05:00Z"),
                                            with("packed_at", "2026-01-31T10:05:00+99:00"),
                                            with("packed_at", 5),
                                            with("version", attack),
                                            with("version", std::string(1000, 'v')),
                                            with("version", ""),
                                            with("score", -1),
                                            with("score", "100"),
                                            with("score", 1e300),
                                            with("max_score", true),
                                            with("sources", 1),
                                            with("sources", {{{"path", "a"}}}),
                                            with("sources", {{{"path", attack}, {"sha256", kSha}}}),
                                            with("sources", {{{"path", "a"}, {"sha256", "A"}}}),
                                            with("sources", Json(std::vector<Json>(17, Json::object())))};
  for (const std::string& text : bad) {
    const auto read = parse_receipt(text);
    INFO(text);
    REQUIRE_FALSE(read);
    CHECK(read.error().find('<') == std::string::npos);
  }
  CHECK(parse_receipt(with("later", "a key that a later version adds")));
  CHECK(parse_receipt(with("packed_at", "2026-01-31T10:05:00Z")));
}

TEST_CASE("digests match if they name exactly the files of the package") {
  const std::string text = receipt_json(receipt());
  using Files = std::map<std::string, std::string>;
  CHECK(receipt_facts(text, kLab, Files{{"tiled_matmul.cu", kSha}}).files_match);
  CHECK_FALSE(receipt_facts(text, kLab, Files{{"tiled_matmul.cu", kOtherSha}}).files_match);
  CHECK_FALSE(
      receipt_facts(text, kLab, Files{{"tiled_matmul.cu", kSha}, {"answers.json", kSha}}).files_match);
  const ReceiptFacts facts = receipt_facts(text, kLab, {});
  CHECK(facts.problem.empty());
  CHECK(facts.packed_at == "2026-01-31T10:05:00+01:00");
  CHECK(receipt_facts(text, "00-warm-up", {}).problem == "is the receipt of another lab");
  CHECK(receipt_facts("{", kLab, {}).problem == "is not JSON");
}

TEST_CASE("a stated score agrees with the graded one up to a hundredth of a point") {
  ReceiptFacts facts;
  CHECK_FALSE(facts.agrees_with(87.5, 100));
  facts.score = 87.5;
  facts.max_score = 100;
  CHECK(facts.agrees_with(87.5, 100) == true);
  CHECK(facts.agrees_with(87.504, 100) == true);
  CHECK(facts.agrees_with(87, 100) == false);
  CHECK_FALSE(facts.agrees_with(87.5, 120));  // another number of points proves nothing
}

}  // namespace receipt_test
