#include "score/limits.hpp"

#include "catch.hpp"

namespace limits_test {

namespace {

using grader::is_uncoalesced;
using grader::limiting_part;
using testing::contains;

std::string limit(double dram_s, double compute_s, double shared_s, double kernel_s = 1, double timed_s = 1) {
  return limiting_part(
      {{"dram_s", dram_s}, {"compute_s", compute_s}, {"shared_s", shared_s}, {"kernel_s", kernel_s}},
      timed_s);
}

}  // namespace

TEST_CASE("the busiest part is named with its share, and what does not help") {
  const std::string memory = limit(0.92, 0.31, 0.04);
  CHECK_THAT(memory, contains("DRAM limits the speed: busy for 92 %"));
  CHECK_THAT(memory, contains("instructions for 31 %"));
  CHECK_THAT(memory, contains("fewer instructions do not"));
  CHECK_THAT(limit(0.2, 0.9, 0.1), contains("which a constant bound allows"));
  CHECK_THAT(limit(0.3, 0.95, 0.5), contains("instructions limit the speed: busy for 95 %"));
  CHECK_THAT(limit(0.3, 0.5, 0.9), contains("fewer bank conflicts"));
}

TEST_CASE("accesses that are far apart are named if DRAM limits the speed") {
  std::map<std::string, double> counters{{"dram_s", 1},
                                         {"compute_s", 0.1},
                                         {"kernel_s", 1},
                                         {"global_load_requested_bytes", 800},
                                         {"global_load_transferred_bytes", 6400},
                                         {"global_store_requested_bytes", 400},
                                         {"global_store_transferred_bytes", 3200}};
  CHECK(is_uncoalesced(counters));
  CHECK_THAT(limiting_part(counters, 1), contains("8 bytes are moved for each byte"));
  counters["dram_s"] = 0.05;
  CHECK_FALSE(is_uncoalesced(counters));
  counters["dram_s"] = 1;
  counters["global_load_transferred_bytes"] = counters["global_store_transferred_bytes"] = 1000;
  CHECK_FALSE(is_uncoalesced(counters));
  CHECK_THAT(limiting_part(counters, 1), contains("fuller sectors"));
  CHECK_FALSE(is_uncoalesced({}));
}

TEST_CASE("if no part is busy, waiting limits the speed") {
  CHECK_THAT(limit(0.3, 0.5, 0.2), contains("warps wait for"));
  CHECK_THAT(limit(0.3, 0.5, 0.2), !contains("limit the speed"));
}

TEST_CASE("copies and gaps are named if kernels take less than half of the time") {
  CHECK_THAT(limit(0.9, 0.1, 0.1, 1, 4), contains("kernels run for only 25 % of the time"));
  CHECK_THAT(limit(0.9, 0.1, 0.1, 1, 1.5), !contains("of the time:"));
}

TEST_CASE("without counters or kernels no limit is reported") {
  CHECK(limiting_part({}, 1).empty());
  CHECK(limit(0, 0, 0, 0, 0).empty());
}

}  // namespace limits_test
