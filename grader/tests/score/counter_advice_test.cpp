// Tests what a missed limit next to an objective is explained with.
#include "score/counter_advice.hpp"

#include <filesystem>
#include <set>

#include "catch.hpp"
#include "lab/change_counters.hpp"
#include "lab/lab.hpp"

using grader::counter_advice;
using testing::contains;

TEST_CASE("advice depends on the side of the limit, and the longest name counts") {
  CHECK_THAT(counter_advice("local_bytes", true, {}).next_step, contains("unroll"));
  CHECK_THAT(counter_advice("warp_exchanges_per_output", true, {}).cause, contains("shuffles"));
  CHECK_THAT(counter_advice("warp_exchanges_per_thread", false, {}).cause, contains("hardly any"));
  CHECK_THAT(counter_advice("global_load_sectors_per_request", true, {}).cause, contains("far apart"));
  CHECK_THAT(counter_advice("global_load_requested_bytes", true, {}).cause, contains("more than once"));
  CHECK(counter_advice("call_s", true, {}).cause.empty());
}

TEST_CASE("a sum over several memories is explained by the one with most bytes") {
  const auto advice = [](const char* counter, const char* largest) {
    return counter_advice(counter, true, {{"global_load_requested_bytes", 10}, {largest, 50}}).cause;
  };
  CHECK_THAT(advice("loaded_bytes_per_min_plus", "local_bytes"), contains("local memory"));
  CHECK_THAT(advice("loaded_bytes_per_min_plus", "shared_load_requested_bytes"), contains("shared"));
  CHECK_THAT(advice("received_bytes_per_min_plus", "warp_exchanges"), contains("shuffles"));
  CHECK_THAT(advice("received_bytes_per_min_plus", "local_bytes"), contains("more than once"));
}

TEST_CASE("every limit next to an objective of the labs has an explanation") {
  // They say what must be used, or are of the same kind as the objective's own.
  const std::set<std::string> explain_themselves{"useful_kernel_s", "useful_copy_to_host_bytes", "call_s",
                                                 "overlap_fraction"};
  const auto labs = grader::load_labs(std::filesystem::path(WARPGRADE_SOURCE_DIR) / "labs");
  REQUIRE(labs.has_value());
  for (const grader::Lab& lab : *labs)
    for (const grader::Task& task : lab.tasks)
      for (const grader::Objective& objective : task.objectives)
        for (const grader::ShownCounter& limited : objective.related) {
          INFO(lab.id << ' ' << task.id << ' ' << limited.counter);
          if (explain_themselves.contains(limited.counter) || grader::find_change_counter(limited.counter))
            continue;
          if (limited.at_most) CHECK(!counter_advice(limited.counter, true, {}).cause.empty());
          if (limited.at_least) CHECK(!counter_advice(limited.counter, false, {}).cause.empty());
        }
}
