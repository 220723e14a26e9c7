#include "judge/physical_floor.hpp"

#include "catch.hpp"

namespace physical_floor_test {

using namespace grader;

namespace {

/// 1,000 floats to read.
harness::Job job() {
  harness::Job job;
  job.inputs.push_back({{"in", {10, 100}, {}}});
  return job;
}

}  // namespace

TEST_CASE("the floor is the longer of reading the inputs and doing the operations") {
  const PeakRates peak{.bytes_per_s = 4e9, .operations_per_s = 1e9};
  CHECK(least_seconds(peak, job(), 0) == Approx(1e-6));
  CHECK(least_seconds(peak, job(), 500) == Approx(1e-6));
  CHECK(least_seconds(peak, job(), 5000) == Approx(5e-6));
  CHECK(least_seconds({}, job(), 5000) == 0);  // an unknown GPU
}

TEST_CASE("a time below the floor is refused, and both times are reported") {
  CHECK_FALSE(impossible_time("square-2048", 1e-6, 1e-6));
  const auto refused = impossible_time("square-2048", 0.5e-6, 1e-6);
  REQUIRE(refused);
  CHECK(refused->code == "WG-S40");
  CHECK(refused->what ==
        "a call of square-2048 took 0.5 us; this GPU needs 1 us to read the inputs and do the operations");
}

}  // namespace physical_floor_test
