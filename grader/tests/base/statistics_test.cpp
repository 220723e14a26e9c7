#include "base/statistics.hpp"

#include "catch.hpp"

using grader::median;

TEST_CASE("the median is the middle value, or the mean of the two") {
  CHECK(median({}) == 0);
  CHECK(median({3, 1, 2}) == 2);
  CHECK(median({4, 1, 2, 3}) == 2.5);
}
