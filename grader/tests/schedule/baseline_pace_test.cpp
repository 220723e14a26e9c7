#include "schedule/baseline_pace.hpp"

#include "catch.hpp"

namespace baseline_pace_test {

using grader::BaselinePace;

TEST_CASE("the pace is the fastest measurement, and is known from the second one on") {
  BaselinePace pace;
  CHECK_FALSE(pace.fastest_s("a"));
  pace.add("a", 2);
  CHECK(pace.fastest_s("a") == 2);
  CHECK_FALSE(pace.is_known("a"));
  pace.add("a", 3);
  CHECK(pace.fastest_s("a") == 2);
  CHECK(pace.is_known("a"));
  CHECK_FALSE(pace.fastest_s("b"));
}

TEST_CASE("an assumed pace holds until a measurement contradicts it") {
  BaselinePace pace;
  pace.assume("a", 2);
  CHECK_FALSE(pace.contradicts("a", 1));
  CHECK_FALSE(pace.contradicts("a", 2.3));
  pace.add("a", 2.3);
  CHECK(pace.is_known("a"));
  CHECK(pace.contradicts("a", 2.5));
  CHECK_FALSE(pace.fastest_s("a"));
}

TEST_CASE("a measured pace holds whatever follows") {
  BaselinePace pace;
  pace.add("a", 2);
  CHECK_FALSE(pace.contradicts("a", 100));
  CHECK(pace.fastest_s("a") == 2);
}

}  // namespace baseline_pace_test
