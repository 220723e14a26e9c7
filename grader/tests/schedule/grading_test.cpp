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

TEST_CASE("a single case needs nothing and gives no points") {
  const Lab reduced = only_case(lab(), "case of d");
  REQUIRE(reduced.tasks.size() == 1);
  CHECK(reduced.tasks.front().cases == std::vector<std::string>{"case of d"});
  CHECK(reduced.tasks.front().needs.empty());
  CHECK(reduced.max_points() == 0);
}

}  // namespace grading_test
