#include "schedule/quoted_values.hpp"

#include "catch.hpp"

namespace quoted_values_test {

using namespace grader;

namespace {

/// Quotes 4 and 0.25 loads per operation, 7 and 7 barriers, and a speed-up of 3.
Lab lab() {
  Task task;
  task.needs = {"another"};
  Objective objective;
  objective.counter = "loads_per_flop";
  objective.case_name = "square";
  objective.naive = 4;
  objective.solution = 0.25;
  objective.related = {{"barriers", 7, 7}};
  task.objectives = {objective};
  Speedup speedup;
  speedup.virtual_case = "square";
  speedup.on_virtual.solution = 3;
  task.speedup = speedup;
  Lab lab;
  lab.tasks = {task};
  return lab;
}

Score score(double loads, double barriers, double speedup) {
  Score score;
  score.counters["square"] = {{"loads_per_flop", loads}, {"barriers", barriers}};
  Performance performance;
  performance.case_name = "square";
  performance.speedup = speedup;
  score.performance = {performance};
  return score;
}

}  // namespace

TEST_CASE("rounded values count as correct") {
  CHECK(misquoted_values(lab(), score(4.03, 7, 1), score(0.2501, 7, 2.98)).empty());
}

TEST_CASE("each value that has changed is named with its program") {
  CHECK(misquoted_values(lab(), score(4.2, 7, 1), score(0.25, 8, 3.1)) ==
        std::vector<std::string>{
            "loads_per_flop@square: lab.json quotes 4 for the naive program, which has 4.2",
            "barriers@square: lab.json quotes 7 for the solution, which has 8",
            "square: lab.json quotes a speed-up of 3 for the solution, which has 3.1"});
}

TEST_CASE("a missing counter or time is a mismatch") {
  CHECK(misquoted_values(lab(), Score(), Score()).size() == 5);
}

TEST_CASE("without needs every task is reached") { CHECK(without_needs(lab()).tasks[0].needs.empty()); }

}  // namespace quoted_values_test
