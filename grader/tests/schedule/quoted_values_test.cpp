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

TEST_CASE("in other cases, the values closest to the limits are quoted") {
  Lab sized = lab();
  sized.tasks[0].objectives[0].elsewhere = {{{"one", "two"}, 1.0, std::nullopt, 2, 0.5}};
  Score naive = score(4, 7, 1), solution = score(0.25, 7, 3);
  naive.counters["one"]["loads_per_flop"] = 2;
  naive.counters["two"]["loads_per_flop"] = 9;
  solution.counters["one"]["loads_per_flop"] = 0.1;
  solution.counters["two"]["loads_per_flop"] = 0.5;
  CHECK(misquoted_values(sized, naive, solution).empty());
  naive.counters["two"]["loads_per_flop"] = 1.5;
  CHECK(
      misquoted_values(sized, naive, solution) ==
      std::vector<std::string>{"loads_per_flop@two: lab.json quotes 2 for the naive program, which has 1.5"});
  naive.counters.erase("two");
  CHECK(misquoted_values(sized, naive, solution) ==
        std::vector<std::string>{"loads_per_flop@two: the naive program has no such counter"});
}

TEST_CASE("an upper limit on work needs limits in most cases in which the naive program differs clearly") {
  Lab sized = lab();
  Objective& objective = sized.tasks[0].objectives[0];
  objective.at_most = 0.3;
  for (const char* name : {"square", "one", "two", "tiny", "repeated", "elsewhere"}) {
    Case one;
    one.name = name;
    sized.cases.push_back(one);
  }
  sized.cases[4].earlier_calls.resize(1);
  sized.cases[5].entry = "another function";
  Score naive, solution;
  for (const Case& one : sized.cases) {
    naive.counters[one.name]["loads_per_flop"] = one.name == "tiny" ? 0.7 : 4;
    solution.counters[one.name]["loads_per_flop"] = 0.25;
  }
  CHECK(unlimited_cases(sized, naive, solution) ==
        std::vector<std::string>{
            "loads_per_flop@square: the naive kernel differs clearly from the solution in 2 "
            "other cases too, but most of them have no limit; add cases to \"elsewhere\": "
            "one, two"});
  objective.elsewhere = {{{"two"}, 1.0, std::nullopt, 4, 0.25}};
  CHECK(unlimited_cases(sized, naive, solution).empty());
}

TEST_CASE("a missing counter or time is a mismatch") {
  CHECK(misquoted_values(lab(), Score(), Score()).size() == 5);
}

TEST_CASE("without needs every task is reached") { CHECK(without_needs(lab()).tasks[0].needs.empty()); }

}  // namespace quoted_values_test
