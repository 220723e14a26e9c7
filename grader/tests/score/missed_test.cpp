#include "score/missed.hpp"

#include "catch.hpp"

namespace missed_test {

using namespace grader;
using Counters = std::map<std::string, double>;

namespace {

Lab lab() {
  Lab made;
  Task traffic, speed;
  traffic.id = "traffic";
  traffic.objectives = {{"global_load_sectors_per_output", "a", 2.0, std::nullopt},
                        {"constant_requests", "a", std::nullopt, 5.0},
                        {"active_lanes_per_instruction", "a", std::nullopt, 30.0},
                        {"grid_blocks", "a", std::nullopt, 8.0},
                        {"outputs_per_clock", "a", std::nullopt, 1.0},
                        {"barriers", "other", 0.0, std::nullopt}};
  speed.id = "speed";
  speed.speedup = Speedup{"a", "a", "naive", {2, 1, std::nullopt}, {2, 1, std::nullopt}, ""};
  made.tasks = {traffic, speed};
  return made;
}

const Counters kQuantities = {{"output", 10}};

Counters counters(double value) {
  Counters made = {{"kernel_s", 1}, {"dram_s", 0.9}, {"compute_s", 0.2}, {"shared_s", 0.1}};
  const Lab of = lab();
  for (const Objective& one : of.tasks.front().objectives) made[one.counter] = value;
  return made;
}

std::vector<std::pair<std::string, std::string>> missed(const Counters& of,
                                                        std::optional<SpeedSamples> speed) {
  std::vector<std::pair<std::string, std::string>> found;
  for (const Missed& one : missed_checks(lab(), "a", of, speed, kQuantities))
    found.emplace_back(one.check, one.counter);
  return found;
}

}  // namespace

TEST_CASE("missed objectives have the counter that shows why") {
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  CHECK(missed(counters(0.5), std::nullopt) ==
        Pairs{{"traffic/constant_requests@a", ""},
              {"traffic/active_lanes_per_instruction@a", "active_lanes_per_instruction"},
              {"traffic/grid_blocks@a", "grid_blocks"},
              {"traffic/outputs_per_clock@a", "dram_s"}});
  CHECK(missed(counters(40), std::nullopt) ==
        Pairs{{"traffic/global_load_sectors_per_output@a", "global_load_sectors"}});
}

TEST_CASE("a limit of an objective in another case has a clue of its own") {
  Lab sized = lab();
  sized.tasks[0].objectives[0].elsewhere = {{{"b"}, 3.0, std::nullopt, 9, 1}};
  const Counters of = {{"global_load_sectors_per_output", 4}};
  const auto found = missed_checks(sized, "b", of, std::nullopt, kQuantities);
  REQUIRE(found.size() == 1);
  CHECK(found[0].check == "traffic/global_load_sectors_per_output@a/b");
  CHECK(found[0].counter == "global_load_sectors");
}

TEST_CASE("a speed-up below full points is missed, and of a call that is mostly copies, overlap shows why") {
  Counters met = counters(40);
  met["global_load_sectors_per_output"] = 1;
  CHECK(missed(met, SpeedSamples{{2}, {1}}).empty());
  CHECK(missed(met, SpeedSamples{{2}, {1.5}}).front() ==
        std::pair<std::string, std::string>("speed/a", "dram_s"));
  CHECK(missed(met, SpeedSamples{{2}, {4}}).front().second == "call_s");
}

}  // namespace missed_test
