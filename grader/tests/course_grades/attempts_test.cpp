#include "course/attempts.hpp"

#include "catch.hpp"

namespace attempts_test {

using namespace grader::course;
using testing::contains;

namespace {

Instant at(const std::string& time) { return *read_time(time)->in(TimeZone()); }

const AttemptPolicy kTwoADay{2, 24};

}  // namespace

TEST_CASE("hidden runs are limited within the hours before a submission") {
  AttemptRecord record{at("2026-11-20 12:00"), {{at("2026-11-20 08:00"), 40}}};
  CHECK(decide(record, kTwoADay).is_hidden_run);
  CHECK(decide(record, kTwoADay).used == 1);
  record.earlier.push_back({at("2026-11-20 09:00"), 70});
  const AttemptDecision used_up = decide(record, kTwoADay);
  CHECK_FALSE(used_up.is_hidden_run);
  CHECK(used_up.points == 70.0);
  CHECK(used_up.next_allowed == at("2026-11-21 08:00"));
  record.now = at("2026-11-21 08:00");
  CHECK(decide(record, kTwoADay).is_hidden_run);
}

TEST_CASE("a run on public inputs only costs no hidden run, and does not change the points") {
  // The third was graded on public inputs, because two were used; Gradescope recorded the points of the
  // second.
  const AttemptRecord record{
      at("2026-11-21 08:30"),
      {{at("2026-11-20 08:00"), 40}, {at("2026-11-20 09:00"), 70}, {at("2026-11-20 20:00"), 70}}};
  const AttemptDecision decision = decide(record, kTwoADay);
  CHECK(decision.is_hidden_run);
  CHECK(decision.used == 1);
}

TEST_CASE("a fault of the grader costs no attempt") {
  AttemptRecord record{at("2026-11-20 12:00"),
                       {{at("2026-11-20 08:00"), 0, true}, {at("2026-11-20 09:00"), 0, true}}};
  const AttemptDecision decision = decide(record, kTwoADay);
  CHECK(decision.used == 0);
  CHECK_FALSE(decision.points.has_value());
  record.earlier.push_back({at("2026-11-20 10:00"), 70});
  CHECK(decide(record, kTwoADay).used == 1);
}

TEST_CASE("the order of the record does not matter, and later submissions are ignored in a regrade") {
  const AttemptRecord record{
      at("2026-11-20 12:00"),
      {{at("2026-11-20 09:00"), 70}, {at("2026-11-20 08:00"), 40}, {at("2026-11-22 08:00"), 99}}};
  CHECK(decide(record, kTwoADay).points == 70.0);
}

TEST_CASE("Gradescope's metadata is read without what students choose") {
  const auto record = read_gradescope_attempts(R"({
    "id": 12, "created_at": "2026-11-20T12:00:00.087023-08:00",
    "users": [{"name": "$(touch /tmp/owned); \"", "email": 7}],
    "previous_submissions": [
      {"submission_time": "2026-11-20T08:00:00.0-08:00", "score": 87.5, "autograder_error": false, "results": {"tests": []}},
      {"submission_time": "2026-11-20T09:00:00.0-08:00", "score": 0, "autograder_error": true},
      {"submission_time": "2026-11-20T10:00:00.0-08:00", "score": null}]})");
  REQUIRE(record.has_value());
  CHECK(record->now == at("2026-11-20 20:00"));
  REQUIRE(record->earlier.size() == 3);
  CHECK(record->earlier[0].points == 87.5);
  CHECK(record->earlier[1].grader_failed);
  CHECK(record->earlier[2].grader_failed);
  CHECK(read_gradescope_attempts(R"({"created_at": "2026-11-20T12:00:00Z"})")->earlier.empty());
}

TEST_CASE("metadata that cannot be read is an error") {
  for (
      const char* text :
      {"", "[]", "{}", R"({"created_at": "now"})",
       R"({"created_at": "2026-11-20T12:00:00Z", "previous_submissions": 3})",
       R"({"created_at": "2026-11-20T12:00:00Z", "previous_submissions": [{"score": 3}]})",
       R"({"created_at": "2026-11-20T12:00:00Z", "previous_submissions": [{"submission_time": "2026-11-20T12:00:00Z", "score": "x"}]})"}) {
    INFO(text);
    CHECK_FALSE(read_gradescope_attempts(text).has_value());
  }
}

}  // namespace attempts_test
