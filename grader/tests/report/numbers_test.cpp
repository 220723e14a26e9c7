#include "report/numbers.hpp"

#include "catch.hpp"

using namespace grader;

TEST_CASE("shares have at most three digits") {
  CHECK(percent_text(0.8) == "80 %");
  CHECK(percent_text(1.0 / 13) == "7.69 %");
}

TEST_CASE("points have at most two decimals") {
  CHECK(points_text(25) == "25");
  CHECK(points_text(12.5) == "12.5");
  CHECK(points_text(100.0 / 3) == "33.33");
  CHECK(points_text(0) == "0");
}

TEST_CASE("counts and bytes are printed in full, other values with four digits") {
  CHECK(value_text(196608) == "196608");
  CHECK(value_text(1581056) == "1581056");
  CHECK(value_text(0.390653) == "0.3907");
  CHECK(value_text(1e15) == "1e+15");
}

TEST_CASE("times have a suitable unit") {
  CHECK(seconds_text(262.4e-6) == "262.4 us");
  CHECK(seconds_text(1.2014e-3) == "1.201 ms");
  CHECK(seconds_text(2.5) == "2.5 s");
}

TEST_CASE("counts are grouped by thousands") {
  CHECK(count_text(0) == "0");
  CHECK(count_text(999) == "999");
  CHECK(count_text(1048576) == "1,048,576");
}

TEST_CASE("durations are printed like clock times") {
  CHECK(duration_text(42) == "0:42");
  CHECK(duration_text(725) == "12:05");
  CHECK(duration_text(3723) == "1:02:03");
}

TEST_CASE("limits are one value, a range, or one side") {
  CHECK(grader::bounds_text("launches", 256, 256) == "256");
  CHECK(grader::bounds_text("launches", 32, 512) == "32–512");
  CHECK(grader::bounds_text("launches", std::nullopt, 0.3) == "≤ 0.3");
  CHECK(grader::bounds_text("launches", 4, std::nullopt) == "≥ 4");
  CHECK(grader::bounds_text("launches", std::nullopt, std::nullopt).empty());
  CHECK(grader::bounds_text("call_s", std::nullopt, 520e-6) == "≤ 520 us");
}
