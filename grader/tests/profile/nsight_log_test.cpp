// Logs that Nsight Compute 2025.3.1 wrote on an H100, and damaged ones.
#include "profile/nsight_log.hpp"

#include "catch.hpp"
#include "profile/logs.hpp"

namespace nsight_log_test {

using namespace grader;
using profile_sample::recorded_log;
using testing::contains;

TEST_CASE("the metrics of each kernel are added up over its launches, and percentages are averaged") {
  const NsightLog log = read_nsight_log(recorded_log("ncu.csv"));
  CHECK(log.errors.empty());
  REQUIRE(log.kernels.size() == 2);
  CHECK(log.kernels[0].name == "hidden");
  CHECK(log.kernels[0].launches == 1);
  CHECK(log.kernels[0].metrics.at("dram__bytes_read.sum") == 6912);
  CHECK(log.kernels[1].name == "tiled");
  CHECK(log.kernels[1].launches == 2);
  CHECK(log.kernels[1].metrics.at("smsp__inst_executed.sum") == 1600);
  CHECK(log.kernels[1].metrics.at("sm__maximum_warps_per_active_cycle_pct") == 50);
}

TEST_CASE("an unknown metric has no value") {
  const NsightLog log = read_nsight_log(recorded_log("ncu_unknown_metric.csv"));
  CHECK(log.errors.empty());
  REQUIRE(log.kernels.size() == 2);
  CHECK_FALSE(log.kernels[0].metrics.contains("nonsense.sum"));
  CHECK(log.kernels[0].metrics.contains("smsp__inst_executed.sum"));
}

TEST_CASE("errors of the tool and of the program are errors of the log") {
  const NsightLog aborted = read_nsight_log(recorded_log("ncu_abort.csv"));
  REQUIRE(aborted.errors.size() == 1);
  CHECK(aborted.errors[0] == "The application returned an error code (6).");
  CHECK(read_nsight_log(recorded_log("ncu_no_kernel.csv")).kernels.empty());
}

TEST_CASE("lines that are no row of the table are counted, never believed") {
  const std::string whole = recorded_log("ncu.csv");
  for (const std::string rubbish : {"hello", "\"1\",\"2\"", "\"no end", "\"a\"b\"", "\x01\xff\"\"\","}) {
    INFO(rubbish);
    const NsightLog log = read_nsight_log(whole + rubbish + "\n");
    CHECK(log.kernels.size() == 2);
    REQUIRE(log.errors.size() == 1);
    CHECK(log.errors[0] == "1 line of its log cannot be read");
  }
  CHECK(read_nsight_log("").kernels.empty());
  CHECK_THAT(read_nsight_log("a,b\nc,d\n").errors.at(0), contains("2 lines of its log cannot be read"));
}

TEST_CASE("a log that ends anywhere is read without a crash") {
  const std::string whole = recorded_log("ncu.csv");
  for (std::size_t size = 0; size < whole.size(); size += 7) read_nsight_log(whole.substr(0, size));
}

}  // namespace nsight_log_test
