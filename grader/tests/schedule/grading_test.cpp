#include "schedule/grading.hpp"

#include "catch.hpp"

namespace grading_test {

using namespace grader;

namespace {

Task task(const std::string& id, std::vector<std::string> needs) {
  Task made;
  made.id = id;
  made.needs = std::move(needs);
  made.cases = {std::string("case of ").append(id)};
  return made;
}

Lab lab() {
  Lab made;
  made.id = "lab";
  made.tasks = {task("a", {}), task("b", {"a"}), task("c", {}), task("d", {"b"})};
  return made;
}

std::vector<std::string> ids(const Lab& of) {
  std::vector<std::string> names;
  for (const Task& one : of.tasks) names.push_back(one.id);
  return names;
}

}  // namespace

TEST_CASE("a single task includes the tasks that it needs, also indirectly") {
  CHECK(ids(only_task(lab(), "d")) == std::vector<std::string>{"a", "b", "d"});
  CHECK(ids(only_task(lab(), "c")) == std::vector<std::string>{"c"});
}

Lab lab_with_checks() {
  Lab made = lab();
  for (const char* name : {"one", "two", "large"}) {
    Case one;
    one.name = name;
    made.cases.push_back(one);
  }
  made.tasks.at(1).cases = {"one", "two"};
  Objective objective;
  objective.counter = "branches";
  objective.case_name = "large";
  made.tasks.at(1).objectives = {objective};
  Speedup speedup;
  speedup.virtual_case = speedup.cuda_case = "large";
  made.tasks.at(3).speedup = speedup;
  return made;
}

TEST_CASE("a single case needs nothing and gives no points") {
  const auto reduced = only_check(lab_with_checks(), "two");
  REQUIRE(reduced);
  REQUIRE(reduced->tasks.size() == 1);
  CHECK(reduced->tasks.front().cases == std::vector<std::string>{"two"});
  CHECK(reduced->tasks.front().needs.empty());
  CHECK(reduced->max_points() == 0);
}

TEST_CASE("a single check is found under the name that diagnostics print") {
  const Lab lab = lab_with_checks();
  const auto task_of = [&](const std::string& name) {
    const auto reduced = only_check(lab, name);
    REQUIRE(reduced);
    REQUIRE(reduced->tasks.size() == 1);
    CHECK(reduced->tasks.front().needs.empty());
    return reduced->tasks.front();
  };
  const Task one_case = task_of("b/two");
  CHECK(one_case.id == "b");
  CHECK(one_case.cases == std::vector<std::string>{"two"});
  CHECK(one_case.objectives.empty());
  const Task objective = task_of("b/branches@large");
  CHECK(objective.cases.empty());
  CHECK(objective.objectives.size() == 1);
  const Task speedup = task_of("d/large");
  CHECK(speedup.cases.empty());
  CHECK(speedup.speedup);
}

TEST_CASE("a check that does not exist is not found") {
  for (const char* name :
       {"", "/", "b", "b/", "b/large", "b/three", "a/one", "x/one", "b/branches", "d/one"}) {
    INFO(name);
    CHECK_FALSE(only_check(lab_with_checks(), name));
  }
}

}  // namespace grading_test
