#include "lab/error_bounds.hpp"

#include "catch.hpp"

namespace error_bounds_test {

TEST_CASE("the error factor is the term count for short sums and grows with its root for long ones") {
  CHECK(grader::sum_error_factor(1) == 2);
  CHECK(grader::sum_error_factor(64) == 65);
  CHECK(grader::sum_error_factor(1024) == 257);
}

}  // namespace error_bounds_test
