#include "report/csv.hpp"

#include "catch.hpp"

using namespace grader;
using namespace testing;

TEST_CASE("cells are quoted if necessary and never start a formula") {
  CHECK(csv_cell("plain") == "plain");
  CHECK(csv_cell("a, \"b\"") == "\"a, \"\"b\"\"\"");
  for (const std::string start : {"=", "+", "-", "@", "\t", "\r", "\n", "＝", "＠"}) {
    CHECK(starts_formula(start + "1"));
    CHECK(csv_cell(start + "1").starts_with("\"'"));
  }
  CHECK(csv_cell("a\x1b[31m\nb") == "a?[31m b");
}

TEST_CASE("usual variants are read: quotes, line ends, separators, a byte order mark") {
  const auto rows = read_csv("\xEF\xBB\xBFname;mail\r\n\"a;\"\"b\"\"\nc\";x\r\n\r\n;\r\nlast;");
  REQUIRE(rows.has_value());
  REQUIRE(rows->size() == 3);
  CHECK(rows->at(1).cells == std::vector<std::string>{"a;\"b\"\nc", "x"});
  CHECK(rows->at(2).line == 6);
  CHECK(rows->at(2).cells == std::vector<std::string>{"last", ""});
}

TEST_CASE("an unclosed quote is an error with its line") {
  CHECK_THAT(read_csv("a\nb\n\"c").error(), contains("line 3"));
  CHECK_FALSE(read_csv("\"a\"b,c\n").has_value());
}

TEST_CASE("written rows can be read back") {
  const std::string attack = "x\",;'\t&";
  const auto rows = read_csv(csv_row({csv_cell(attack), "", csv_cell("=1")}));
  REQUIRE(rows.has_value());
  CHECK(rows->front().cells == std::vector<std::string>{"x\",;' &", "", "'=1"});
}
