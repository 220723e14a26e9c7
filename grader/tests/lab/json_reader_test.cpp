#include "lab/json_reader.hpp"

#include "catch.hpp"

namespace json_reader_test {

namespace {

using grader::is_plain_name;
using grader::JsonNode;
using grader::JsonProblem;
using grader::parse_json;
using testing::contains;

TEST_CASE("equal keys are refused only within one object") {
  CHECK_THROWS_WITH(parse_json(R"({"a": {"b": 1, "b": 2}})"), "`a.b` is given twice");
  CHECK_THROWS_WITH(parse_json(R"([{}, {"b": [1, {"c": 1, "c": 2}]}])"), "`[1].b[1].c` is given twice");
  CHECK(parse_json(R"({"a": {"b": 1}, "b": {"a": 1}, "c": [{"a": 1}, {"a": 1}]})").has_value());
}

TEST_CASE("the place of a syntax error counts from 1") {
  const auto first = parse_json("x");
  CHECK(first.error().line == 1);
  CHECK(first.error().column == 1);
  const auto later = parse_json("{\n \"a\": 1,\n}");
  CHECK(later.error().line == 3);
  CHECK(later.error().column == 1);
}

TEST_CASE("a long value is shortened in the message") {
  const auto document = parse_json("\"" + std::string(300, 'x') + "\"");
  CHECK_THROWS_WITH(JsonNode(*document, "key").boolean(), contains("xxx… when it should be true or false"));
}

TEST_CASE("plain names are safe as file names") {
  for (const char* good : {"a", "0", "17x33x65", "tall-257x16x3", "a_b"}) CHECK(is_plain_name(good));
  for (const char* bad : {"", ".", "..", "a/b", "-a", "_a", "A", "a b", "ä"}) CHECK_FALSE(is_plain_name(bad));
  CHECK(is_plain_name(std::string(64, 'a')));
  CHECK_FALSE(is_plain_name(std::string(65, 'a')));
}

}  // namespace

}  // namespace json_reader_test
