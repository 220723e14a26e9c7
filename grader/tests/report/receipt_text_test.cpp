#include "report/receipt_text.hpp"

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "report/result_reader.hpp"
#include "report/sample.hpp"
#include "schema_check.hpp"

namespace receipt_text_test {

using namespace grader;
using namespace testing;

namespace {

Result with_receipt(double stated, bool files_match) {
  Result result = accepted_result();
  result.receipt = ReceiptFacts{"",     "2026-01-31T10:05:00+01:00", "0.1.0+3f2a9c1d04b7",
                                stated, result.score.max_score,      files_match};
  return result;
}

std::vector<std::string> problems_of(const Result& result) {
  return SchemaCheck::of("result.schema.json").problems(nlohmann::json::parse(result_json(result)));
}

}  // namespace

TEST_CASE("a receipt's line compares it with the files and with the grade") {
  CHECK(receipt_text(accepted_result()).empty());
  CHECK(receipt_text(with_receipt(100, true)) ==
        "receipt: packed 2026-01-31T10:05:00+01:00 by warpgrade 0.1.0+3f2a9c1d04b7; its digests match the "
        "files; it "
        "states 100 of 100 points, as graded");
  CHECK_THAT(receipt_text(with_receipt(12.5, false)),
             contains("do not match the files") && contains("12.5 of 100 points, graded: 100 of 100"));
  Result in_course = with_receipt(100, true);
  in_course.score.score = 90;
  in_course.score.max_score = 110;
  CHECK_THAT(receipt_text(in_course, {-10, 10}), contains("100 of 100 points, as graded"));
  Result result = with_receipt(100, true);
  result.receipt->score.reset();
  CHECK_THAT(receipt_text(result), contains("it states no score"));
  result.receipt = ReceiptFacts{"is not JSON"};
  CHECK(receipt_text(result) == "receipt: ignored, because it is not JSON");
}

TEST_CASE("a result with a receipt fits its schema and reads back to the same bytes") {
  Result unreadable = accepted_result();
  unreadable.receipt = ReceiptFacts{"is not JSON"};
  Result unscored = with_receipt(0, true);
  unscored.receipt->score.reset();
  for (const Result& result : {with_receipt(100, true), with_receipt(12.5, false), unreadable, unscored}) {
    const std::string text = result_json(result);
    CHECK(problems_of(result) == problems_of(accepted_result()));  // its provenance is made up
    const auto read = parse_result(text);
    REQUIRE(read);
    CHECK(read->receipt == result.receipt);
    CHECK(result_json(*read) == text);
  }
  const auto json = nlohmann::json::parse(result_json(with_receipt(12.5, false)));
  CHECK(json["receipt"]["score_agrees"] == false);
}

}  // namespace receipt_text_test
